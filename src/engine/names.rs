//! Names of tools: each means one of them, in every spelling it is asked for in.

use std::collections::HashMap;

use satchel_model::wire;

/// The names of a list of things, and what is said of those that mean none.
#[derive(Default, Clone)]
pub(super) struct Names {
    places: HashMap<String, Place>,
    /// Names that should mean tools and do not, and what whoever asks for one is told.
    pub(super) broken: HashMap<String, String>,
}

/// The place of a tool in the list, and of the alias that it was found by among its own.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) tool: usize,
    pub(super) alias: Option<usize>,
}

impl Names {
    /// No names but such that mean nothing.
    pub(super) fn only_broken(broken: HashMap<String, String>) -> Self {
        Self { places: HashMap::new(), broken }
    }

    /// The tool that has a name in exactly this spelling.
    pub(super) fn owner(&self, name: &str) -> Option<usize> {
        self.places.get(name).map(|place| place.tool)
    }

    /// Gives a name to a tool.
    pub(super) fn give(&mut self, name: String, place: Place) {
        self.places.insert(name, place);
    }

    /// The place of the tool with this id, name, alias, `functions.<name>` or wire name.
    pub(super) fn find(&self, asked: &str) -> Option<Place> {
        let bare = bare(asked);
        self.places.get(bare).or_else(|| self.places.get(&wire::decode(bare))).copied()
    }

    /// The message for whoever asks for a name that should mean a tool and does not.
    pub(super) fn why_broken(&self, asked: &str) -> Option<&str> {
        self.broken.get(&wire::decode(bare(asked))).map(String::as_str)
    }
}

fn bare(asked: &str) -> &str {
    asked.strip_prefix("functions.").unwrap_or(asked)
}
