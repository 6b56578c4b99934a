//! A page's tree made ready to be written as Markdown, which knows no cell over several rows, no term with its meaning and
//! no language by its class.

use std::collections::HashSet;

use dom_query::{NodeId, NodeRef};

/// Most cells that are added to a page.
const MAX_ADDED: usize = 20_000;
/// Widest cell that is taken at its word.
const WIDEST: usize = 100;
/// Longest text that is said again in each row it stands for.
const REPEATED: usize = 200;

/// The changes to make to a tree, which cannot be changed while it is walked.
#[derive(Default)]
pub(super) struct Changes<'a> {
    blocks: Vec<(NodeRef<'a>, &'static str)>,
    code: Vec<NodeRef<'a>>,
    tables: Vec<NodeRef<'a>>,
    /// Those with tables in them.
    layouts: HashSet<NodeId>,
    captions: Vec<NodeRef<'a>>,
    hidden: Vec<NodeRef<'a>>,
}

impl<'a> Changes<'a> {
    /// Looks at a node with this name, in the order of the page.
    pub(super) fn see(&mut self, node: &NodeRef<'a>, name: &str) {
        // A page that is hidden whole is shown by its script.
        if !matches!(name, "html" | "body") && is_hidden(node) {
            self.hidden.push(*node);
            return;
        }
        match name {
            "caption" => self.captions.push(*node),
            "dt" | "dd" | "summary" => self.blocks.push((*node, "p")),
            "details" => self.blocks.push((*node, "section")),
            "pre" => self.code.push(*node),
            "table" => {
                self.layouts.extend(node.ancestors_it(None).find(|one| one.has_name("table")).map(|around| around.id));
                self.tables.push(*node);
            }
            _ => {}
        }
    }

    /// Changes it.
    pub(super) fn make(self) {
        self.hidden.iter().for_each(NodeRef::remove_from_parent);
        self.captions.iter().for_each(put_before_table);
        self.blocks.iter().for_each(|(node, name)| node.rename(name));
        self.code.iter().for_each(keep_language);
        let mut room = MAX_ADDED;
        for table in &self.tables {
            if self.layouts.contains(&table.id) {
                // Markdown has no table for it, and its cells stand apart.
                rows(table).iter().flat_map(cells).for_each(|cell| cell.rename("div"));
            } else {
                spread(table, &mut room);
            }
        }
    }
}

/// Returns whether readers of the page do not see an element. What stands there is often meant for machines only.
fn is_hidden(node: &NodeRef<'_>) -> bool {
    let hides = |style: &str| {
        let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
        let style = style.to_ascii_lowercase();
        style.contains("display:none") || style.contains("visibility:hidden")
    };
    node.has_attr("hidden") || node.attr("style").is_some_and(|style| hides(&style))
}

/// Markdown has no caption within a table.
fn put_before_table(caption: &NodeRef<'_>) {
    let table = caption.ancestors_it(Some(2)).find(|one| one.has_name("table"));
    let Some(table) = table.filter(|table| table.parent().is_some()) else { return };
    caption.remove_from_parent();
    caption.rename("p");
    table.insert_before(caption);
}

/// Reading for an article drops classes: the language is put where it stays.
fn keep_language(pre: &NodeRef<'_>) {
    if pre.has_attr("data-lang") {
        return;
    }
    let code = pre.children_it(false).find(|child| child.has_name("code"));
    let classes = [code.and_then(|code| code.class()), pre.class()];
    let language = classes.iter().flatten().find_map(|class| {
        let mut words = class.split_ascii_whitespace();
        words.find_map(|word| word.strip_prefix("language-").or_else(|| word.strip_prefix("lang-"))).map(str::to_owned)
    });
    if let Some(language) = language {
        pre.set_attr("data-lang", &language);
    }
}

/// A cell that still stands in the rows to come.
#[derive(Clone, Default)]
struct Held {
    rows: usize,
    text: String,
}

/// Gives each cell of a table that spans several a cell of its own in each, and all rows the same length, as Markdown
/// needs it: a text is said again in each row.
fn spread(table: &NodeRef<'_>, room: &mut usize) {
    let mut held: Vec<Held> = Vec::new();
    let mut widths = Vec::new();
    for row in rows(table) {
        if *room == 0 {
            return;
        }
        let width = fill(&row, &mut held, room);
        widths.push((row, width));
    }
    for (row, width) in widths {
        if width > 0 {
            (width..held.len()).for_each(|_| add(&row, None, "", room));
        }
    }
}

fn rows<'a>(table: &NodeRef<'a>) -> Vec<NodeRef<'a>> {
    let parts = table.children_it(false).flat_map(|part| {
        let is_row = part.has_name("tr");
        let inner = if is_row { Vec::new() } else { part.children() };
        inner.into_iter().filter(|one| one.has_name("tr")).chain(is_row.then_some(part))
    });
    parts.collect()
}

fn cells<'a>(row: &NodeRef<'a>) -> impl Iterator<Item = NodeRef<'a>> {
    row.children().into_iter().filter(|one| one.has_name("td") || one.has_name("th"))
}

/// Fills one row; with how many cells it has then.
fn fill(row: &NodeRef<'_>, held: &mut Vec<Held>, room: &mut usize) -> usize {
    let mut cells = cells(row).peekable();
    let mut column = 0;
    loop {
        if let Some(above) = held.get_mut(column).filter(|above| above.rows > 0) {
            above.rows -= 1;
            add(row, cells.peek(), &above.text, room);
            column += 1;
            continue;
        }
        let Some(cell) = cells.next() else {
            let more = held.iter().skip(column).any(|above| above.rows > 0);
            if !more {
                return column;
            }
            add(row, None, "", room);
            column += 1;
            continue;
        };
        let (wide, high) = (span(&cell, "colspan").clamp(1, WIDEST), span(&cell, "rowspan"));
        let text = if high > 1 { cell.text().trim().to_owned() } else { String::new() };
        let text = if text.len() > REPEATED { String::new() } else { text };
        held.resize(held.len().max(column + wide), Held::default());
        for (at, place) in held.iter_mut().skip(column).take(wide).enumerate() {
            *place = Held { rows: high - 1, text: if at == 0 { text.clone() } else { String::new() } };
        }
        (1..wide).for_each(|_| add(row, cells.peek(), "", room));
        column += wide;
    }
}

/// Returns the number of rows or columns a cell spans; 0 rows is all that follow.
fn span(cell: &NodeRef<'_>, name: &str) -> usize {
    match cell.attr(name).map(|text| text.trim().parse()) {
        Some(Ok(0)) if name == "rowspan" => usize::MAX,
        Some(Ok(many)) if many > 0 => many,
        _ => 1,
    }
}

/// Puts a cell before another of the row, or at its end, of the kind its neighbour is.
fn add(row: &NodeRef<'_>, before: Option<&NodeRef<'_>>, text: &str, room: &mut usize) {
    let Some(left) = room.checked_sub(1) else { return };
    *room = left;
    let beside = before.copied().or_else(|| row.last_child());
    let is_heading = beside.is_some_and(|beside| beside.has_name("th"));
    let cell = row.tree.new_element(if is_heading { "th" } else { "td" });
    if !text.is_empty() {
        cell.set_text(text);
    }
    match before {
        Some(before) => before.insert_before(&cell),
        None => row.append_child(&cell),
    }
}
