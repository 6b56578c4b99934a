//! The figures, beside what is promised, with the machine's load.

#![expect(clippy::print_stdout, reason = "the figures are what this program is for")]

use std::process::ExitCode;

use super::machine::Watch;

/// The target a figure is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// It must be this or more.
    AtLeast(f64),
    /// It must be this or less.
    AtMost(f64),
    /// It explains another figure.
    None,
}

/// Prints as it goes; remembers what was missed.
pub(crate) struct Report {
    watch: Watch,
    missed: Vec<String>,
}

impl Report {
    /// Prints the column heads.
    pub(crate) fn new() -> Self {
        println!("{:<52} {:>12}  {:>10}", "figure", "measured", "target");
        Self { watch: Watch::start(), missed: Vec::new() }
    }

    /// Starts a group of figures.
    pub(crate) fn begin(&mut self, name: &str) {
        println!("\n{name}");
        self.watch = Watch::start();
    }

    /// One figure.
    pub(crate) fn figure(&mut self, what: &str, value: f64, target: Target) {
        let (promise, met) = match target {
            Target::AtLeast(least) => (format!(">= {}", number(least)), value >= least),
            Target::AtMost(most) => (format!("<= {}", number(most)), value <= most),
            Target::None => (String::new(), true),
        };
        let verdict = if promise.is_empty() {
            ""
        } else if met {
            "met"
        } else {
            "NOT MET"
        };
        println!("  {what:<50} {:>12}  {promise:>10}  {verdict}", number(value));
        if !met {
            self.missed.push(what.to_owned());
        }
    }

    /// One line more about a figure.
    pub(crate) fn note(&self, what: &str) {
        println!("    {what}");
    }

    /// Ends a group with what else the machine did meanwhile.
    pub(crate) fn end(&self) {
        println!("  {}", self.watch.summary());
    }

    /// Prints the verdict; a failure where a promise was missed.
    pub(crate) fn close(self) -> ExitCode {
        if self.missed.is_empty() {
            println!("\nevery figure is met");
            return ExitCode::SUCCESS;
        }
        println!("\nnot met: {}", self.missed.join("; "));
        ExitCode::FAILURE
    }
}

/// The middle one; 0 where there is none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Three significant places for small values, thousands marked for large ones.
fn number(value: f64) -> String {
    // A share that is nearly whole is told to the last that counts.
    if value < 1.0 {
        return format!("{value:.4}");
    }
    if value < 100.0 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
