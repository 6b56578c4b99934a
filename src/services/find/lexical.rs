//! The words of all tools, inverted: BM25 over weighted fields.
//!
//! After Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009): the frequencies of a
//! word's fields are weighted before they are joined (BM25F). A word of the need counts once however often it stands
//! there: a need that is told at length does not want more of the words it repeats.

use std::collections::HashMap;

use satchel_model::words::{self, Term};

const K1: f32 = 1.4;
const B: f32 = 0.5;

/// A part of what a tool says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum Field {
    /// Its name.
    Name,
    /// Its other names.
    Alias,
    /// The text they have beyond it.
    AboutAlias,
    /// A description of what it does.
    Description,
    /// A description of when to choose it.
    WhenToUse,
    /// Its group or server, by name.
    Group,
    /// The text about its server.
    AboutGroup,
    /// Its parameters, names and descriptions.
    Parameters,
    /// Its examples' titles.
    Examples,
}

impl Field {
    /// Every field, in the order results name them.
    pub const ALL: [Self; 9] = [
        Self::Name,
        Self::Alias,
        Self::AboutAlias,
        Self::Description,
        Self::WhenToUse,
        Self::Group,
        Self::AboutGroup,
        Self::Parameters,
        Self::Examples,
    ];

    /// Returns the weight of one word here: a name says more than a parameter.
    fn weight(self) -> f32 {
        match self {
            Self::Name => 3.0,
            Self::Alias => 2.0,
            Self::Description | Self::WhenToUse | Self::Group => 1.0,
            Self::AboutAlias | Self::Parameters | Self::Examples => 0.6,
            Self::AboutGroup => 0.2,
        }
    }

    /// As results name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Alias | Self::AboutAlias => "alias",
            Self::Description => "description",
            Self::WhenToUse => "when to use",
            Self::Group => "category",
            Self::AboutGroup => "server",
            Self::Parameters => "parameters",
            Self::Examples => "examples",
        }
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// A word in a tool: what it is worth there, and the fields it stands in.
#[derive(Debug, Clone, Copy)]
struct Posting {
    tool: u32,
    worth: f32,
    fields: u16,
}

/// The inverted index.
#[derive(Debug, Default)]
pub struct Lexical {
    postings: HashMap<String, Vec<Posting>>,
    tools: usize,
}

impl Lexical {
    /// The index of these tools, each given as its fields' texts.
    pub fn new<'a, Texts>(tools: impl IntoIterator<Item = Texts>) -> Self
    where
        Texts: IntoIterator<Item = (Field, &'a str)>,
    {
        let mut lexical = Self::default();
        let lengths: Vec<f32> = tools.into_iter().map(|texts| lexical.add(texts)).collect();
        let mean = (lengths.iter().sum::<f32>() / lengths.len().max(1) as f32).max(1.0);
        for list in lexical.postings.values_mut() {
            let (all, holding) = (lengths.len() as f32, list.len() as f32);
            let rarity = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
            for posting in &mut *list {
                let length = lengths.get(posting.tool as usize).copied().unwrap_or_default();
                let norm = K1 * (1.0 - B + B * length / mean);
                posting.worth = posting.worth * (K1 + 1.0) / (posting.worth + norm) * rarity;
            }
            list.shrink_to_fit();
        }
        lexical
    }

    /// Adds the next tool's words; until all are known, what one is worth is its weighted frequency. Returns the tool's
    /// weighted length.
    fn add<'a>(&mut self, texts: impl IntoIterator<Item = (Field, &'a str)>) -> f32 {
        let tool = u32::try_from(self.tools).unwrap_or(u32::MAX);
        self.tools += 1;
        let mut length = 0.0;
        for (field, text) in texts {
            for Term { stem, .. } in words::terms(text) {
                length += field.weight();
                let list = self.postings.entry(stem).or_default();
                match list.last_mut().filter(|posting| posting.tool == tool) {
                    Some(posting) => {
                        posting.worth += field.weight();
                        posting.fields |= field.bit();
                    }
                    None => list.push(Posting { tool, worth: field.weight(), fields: field.bit() }),
                }
            }
        }
        length
    }

    /// Returns how well each tool fits these stems; 0 for those that are not allowed or hold none of them.
    pub fn score<'a>(&self, stems: impl IntoIterator<Item = &'a str>, allowed: &[bool]) -> Vec<f32> {
        let mut scores = vec![0.0; self.tools];
        for stem in stems {
            for posting in self.postings.get(stem).into_iter().flatten() {
                let tool = posting.tool as usize;
                if let Some(score) = scores.get_mut(tool)
                    && allowed.get(tool).copied().unwrap_or_default()
                {
                    *score += posting.worth;
                }
            }
        }
        scores
    }

    /// Returns the number of tools that hold a stem.
    pub fn holding(&self, stem: &str) -> usize {
        self.postings.get(stem).map_or(0, Vec::len)
    }

    /// Returns where a stem stands in a tool, and what it is worth there; `None` if it does not stand in it.
    pub fn stands(&self, stem: &str, tool: usize) -> Option<(Vec<Field>, f32)> {
        let list = self.postings.get(stem)?;
        let at = list.binary_search_by_key(&tool, |posting| posting.tool as usize).ok()?;
        let posting = list.get(at)?;
        let fields = Field::ALL.into_iter().filter(|field| posting.fields & field.bit() != 0).collect();
        Some((fields, posting.worth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Lexical {
        Lexical::new([
            vec![(Field::Name, "read_file"), (Field::Description, "Reads a file of the workspace.")],
            vec![(Field::Name, "send_mail"), (Field::Description, "Sends a message with a file.")],
            vec![(Field::Name, "weather"), (Field::Description, "Tells the weather."), (Field::Parameters, "city")],
        ])
    }

    #[test]
    fn a_word_in_the_name_is_worth_more_than_one_in_the_description() {
        let scores = index().score(["file"], &[true; 3]);
        assert!(scores[0] > scores[1] && scores[1] > 0.0 && scores[2] == 0.0, "{scores:?}");
    }

    #[test]
    fn a_tool_that_is_not_allowed_is_not_scored() {
        assert_eq!(index().score(["file", "weather"], &[false, false, false]), [0.0; 3]);
    }

    #[test]
    fn a_word_is_told_with_its_fields() {
        let index = index();
        let fields = |stem: &str, tool| index.stands(stem, tool).map(|(fields, _)| fields);
        assert_eq!(fields("file", 0), Some(vec![Field::Name, Field::Description]));
        assert_eq!(fields("citi", 2), Some(vec![Field::Parameters]));
        assert_eq!(fields("citi", 0), None);
    }
}
