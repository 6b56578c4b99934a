//! Tools as policies judge them: by their names alone.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use satchel_model::policy::ToolNames;

/// Something with names.
pub trait Named {
    /// Its name.
    fn name(&self) -> &str;

    /// Every name that a policy may call it by.
    fn names(&self) -> ToolNames;
}

/// A list of things with names, in an order that stays.
pub(crate) trait NamedList: Send + Sync {
    /// All of them.
    fn all(&self) -> Box<dyn Iterator<Item = &dyn Named> + '_>;
}

/// A list, and where in it each stands.
pub(super) struct Indexed {
    list: Arc<dyn NamedList>,
    /// Places by the address at which each stands as long as the list does.
    places: OnceLock<HashMap<usize, usize>>,
}

impl Indexed {
    pub(super) fn new(list: Arc<dyn NamedList>) -> Self {
        Self { list, places: OnceLock::new() }
    }

    pub(super) fn all(&self) -> Box<dyn Iterator<Item = &dyn Named> + '_> {
        self.list.all()
    }

    /// The place of one of them.
    pub(super) fn place(&self, one: &dyn Named) -> Option<usize> {
        let places = self.places.get_or_init(|| self.all().enumerate().map(|(at, one)| (address(one), at)).collect());
        places.get(&address(one)).copied()
    }

    /// Returns whether it is made of this list.
    pub(super) fn is_of(&self, list: &Arc<dyn NamedList>) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.list), Arc::as_ptr(list))
    }
}

fn address(one: &dyn Named) -> usize {
    std::ptr::from_ref(one).addr()
}
