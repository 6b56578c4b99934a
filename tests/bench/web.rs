//! A web page of 1 MB as Markdown: CPU time, and how much memory it takes at its peak.

use std::{fmt::Write, hint::black_box};

use anyhow::Result;
use satchel::formats::page::{self, Reading};
use url::Url;

use super::{
    report::{Report, Target},
    usage,
};

const SIZE: usize = 1 << 20;
const ROUNDS: u32 = 60;

/// Measures an article and a page of lists, which has none.
pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let address = Url::parse("https://herons.example/all/about")?;
    for (name, page) in [("an article", article()?), ("a page of links", links()?)] {
        report.note(&format!("{name}: {} bytes of HTML", page.len()));
        let reading = Reading { charset: Some("utf-8"), address: &address, article: true, plain: false };
        let before = usage::peak_mb()?;
        let read = page::markdown(page.as_bytes(), reading)?;
        let peak = usage::peak_mb()? - before;
        anyhow::ensure!(read.markdown.len() > SIZE / 4, "only {} bytes came out", read.markdown.len());
        let begun = usage::own_seconds();
        for _ in 0..ROUNDS {
            black_box(page::markdown(page.as_bytes(), reading)?);
        }
        let spent = (usage::own_seconds() - begun) * 1e3 / f64::from(ROUNDS);
        report.figure(&format!("1 MB to Markdown, {name}: ms of CPU"), spent, Target::AtMost(60.0));
        report.figure(&format!("1 MB to Markdown, {name}: MB at the peak"), peak, Target::None);
    }
    Ok(())
}

fn head(title: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>{title}</title><style>{}</style></head><body><nav>{}</nav>",
        ".a{color:red}".repeat(500),
        "<a href='/x'>Menu</a> ".repeat(60)
    )
}

fn article() -> Result<String> {
    let mut page = head("All about herons") + "<article><h1>All about herons</h1>";
    let mut part = 0;
    while page.len() < SIZE {
        part += 1;
        write!(page, "<h2 id=p{part}>Part {part}</h2>")?;
        for line in 0..6 {
            write!(
                page,
                "<p>The heron number {part} waits at the water's edge for hours, <em>very</em> still, and does not move at \
                 all until a fish comes by; see <a href='../fish/{line}?part={part}'>the fish of the day</a> and what \
                 <strong>others</strong> wrote about it, at length and with many commas, over the years.</p>"
            )?;
        }
        page.push_str("<table><tr><th>Bird</th><th>Legs</th></tr><tr><td>Heron</td><td>2</td></tr></table>");
        page.push_str("<ul><li>waits</li><li>eats <code>fish</code></li></ul><pre><code>let legs = 2;\n</code></pre>");
    }
    Ok(page + "</article><footer>Imprint</footer></body></html>")
}

fn links() -> Result<String> {
    let mut page = head("Index") + "<main><ul>";
    let mut number = 0;
    while page.len() < SIZE {
        number += 1;
        write!(page, "<li class='entry'><a href='/entries/{number}'>Entry {number}</a> <span>of the list</span></li>")?;
    }
    Ok(page + "</ul></main></body></html>")
}
