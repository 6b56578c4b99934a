//! `list`: the person's named lists: shopping, packing, things to do.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::{Error, Result},
    list::{Item, List, ListEvent, ListName},
    origin::Origin,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::remembering;
use satchel_store::lists::Edit;

/// Events `history` gives unless told otherwise.
const DEFAULT_EVENTS: u32 = 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What to do: create, add, remove, check, uncheck, view, list_all, clear, delete, rename or history.
    action: Action,
    /// The list's name, e.g. `shopping`. Needed but for list_all and history.
    list: Option<String>,
    /// One item, for create, add, remove, check and uncheck.
    item: Option<String>,
    /// Several items, for create, add, remove, check and uncheck.
    #[serde(default)]
    #[schemars(length(max = 100))]
    items: Vec<String>,
    /// The new name, for rename.
    new_name: Option<String>,
    /// Most events, for history (default 20).
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Action {
    Create,
    Add,
    Remove,
    Check,
    Uncheck,
    View,
    ListAll,
    Clear,
    Delete,
    Rename,
    History,
}

pub(super) fn tool() -> Tool {
    let shopping = || vec![("list", json!({"action": "add", "list": "shopping", "items": ["milk", "eggs"]}))];
    Tool::new(
        "list",
        Category::Memory,
        "Keeps the user's named lists: creates and renames them, adds, checks off and removes items, shows them, and tells \
         what was done to them. `add` makes the list where there is none. What was cleared or deleted stands in its history.",
        "The user mentions a shopping, packing, reading or to-do list, wants something put on it or checked off, or asks \
         what is on it.",
        run,
    )
    .risk(Risk::LowWrite)
    .own_data()
    .innate()
    .personal("your lists")
    .private(&["item", "items", "list", "new_name"])
    .example(
        "Adding makes the list",
        json!({"action": "add", "list": "shopping", "items": ["milk", "eggs"]}),
        json!({"ok": true, "list": "shopping", "items": [{"text": "milk", "done": false}, {"text": "eggs", "done": false}], "message": "add: milk, eggs."}),
    )
    .example_after(
        shopping(),
        "Checking an item off",
        json!({"action": "check", "list": "Shopping", "item": "Milk"}),
        json!({"ok": true, "list": "shopping", "open": 1, "done": 1, "items": [{"text": "milk", "done": true}, {"text": "eggs", "done": false}]}),
    )
    .example_after(shopping(), "All lists", json!({"action": "list_all"}), json!({"lists": [{"list": "shopping", "open": 2, "done": 0}], "count": 1}))
    .example_after(
        vec![
            ("list", json!({"action": "create", "list": "trip", "item": "passport"})),
            ("list", json!({"action": "delete", "list": "trip"})),
        ],
        "What was on a deleted list",
        json!({"action": "history", "list": "trip", "limit": 1}),
        json!({"events": [{"action": "delete", "list": "trip", "items": [{"text": "passport", "done": false}]}], "count": 1}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let (lists, now) = (remembering::lists(&cx), cx.now());
    let data = match args.action {
        Action::ListAll => {
            let all = lists.all().await?;
            cx.taint().note(all.iter().filter_map(|list| list.origin.clone()));
            json!({"ok": true, "count": all.len(), "lists": all})
        }
        Action::History => {
            let name = args.list.as_deref().map(ListName::new).transpose()?;
            let events = lists.history(name, args.limit.unwrap_or(DEFAULT_EVENTS)).await?;
            cx.taint().note(events.iter().flat_map(ListEvent::origins));
            json!({"ok": true, "count": events.len(), "events": events})
        }
        Action::View => shown(&cx, &lists.get(args.name()?).await?, "view.".to_owned()),
        Action::Create => {
            let origin = cx.taint().origin_to_keep();
            let list = lists.create(args.name()?, args.given(&origin)?, origin, now).await?;
            let message = format!("create: {}.", list.name);
            shown(&cx, &list, message)
        }
        Action::Delete => {
            let list = lists.delete(args.name()?, now).await?;
            let message = format!("delete: {} and its {} items. Its history keeps them.", list.name, list.items.len());
            shown(&cx, &list, message)
        }
        Action::Rename => {
            let new = args.new_name.as_deref().ok_or_else(|| missing("new_name", "rename"))?;
            let list = lists.rename(args.name()?, ListName::new(new)?, cx.taint().origin_to_keep(), now).await?;
            shown(&cx, &list, format!("rename: {}.", list.name))
        }
        Action::Add | Action::Remove | Action::Check | Action::Uncheck | Action::Clear => edit(&cx, &args).await?,
    };
    Ok(Output::json(data))
}

async fn edit(cx: &Context, args: &Args) -> Result<Value> {
    let (action, word) = (args.action, args.action.as_str());
    let origin = cx.taint().origin_to_keep();
    let wanted = if matches!(action, Action::Clear) { Vec::new() } else { args.wanted(&origin)? };
    let edit = Edit { action: word, creates: matches!(action, Action::Add), origin };
    let (list, changed) =
        remembering::lists(cx).edit(args.name()?, edit, cx.now(), move |items| action.apply(items, wanted)).await?;
    let names: Vec<&str> = changed.iter().map(|item| item.text.as_str()).collect();
    let message = if names.is_empty() {
        format!("{word}: nothing to do, it is so already.")
    } else {
        format!("{word}: {}.", names.join(", "))
    };
    Ok(shown(cx, &list, message))
}

impl Args {
    fn name(&self) -> Result<ListName> {
        let name = self.list.as_deref().ok_or_else(|| missing("list", self.action.as_str()))?;
        ListName::new(name)
    }

    /// The items given, if any, each once.
    fn given(&self, origin: &Option<Origin>) -> Result<Vec<Item>> {
        let mut items: Vec<Item> = Vec::new();
        for text in self.item.iter().chain(&self.items) {
            let item = Item::new(text)?.with_origin(origin.clone());
            if items.iter().all(|other| other.key() != item.key()) {
                items.push(item);
            }
        }
        Ok(items)
    }

    fn wanted(&self, origin: &Option<Origin>) -> Result<Vec<Item>> {
        let items = self.given(origin)?;
        if items.is_empty() { Err(missing("item", self.action.as_str())) } else { Ok(items) }
    }
}

impl Action {
    fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Add => "add",
            Self::Remove => "remove",
            Self::Check => "check",
            Self::Uncheck => "uncheck",
            Self::View => "view",
            Self::ListAll => "list_all",
            Self::Clear => "clear",
            Self::Delete => "delete",
            Self::Rename => "rename",
            Self::History => "history",
        }
    }

    /// Changes the items; returns those it changed.
    fn apply(self, items: &mut Vec<Item>, wanted: Vec<Item>) -> Result<Vec<Item>> {
        match self {
            Self::Clear => Ok(std::mem::take(items)),
            Self::Add => Ok(wanted.into_iter().filter_map(|item| add(items, item)).collect()),
            _ => {
                let places = wanted.iter().map(|item| place(items, item)).collect::<Result<Vec<_>>>()?;
                Ok(self.change(items, places))
            }
        }
    }

    fn change(self, items: &mut Vec<Item>, mut places: Vec<usize>) -> Vec<Item> {
        let mut changed = Vec::new();
        if matches!(self, Self::Remove) {
            // From the last: removing moves what stands behind.
            places.sort_unstable();
            places.dedup();
            changed.extend(places.into_iter().rev().map(|n| items.remove(n)));
            changed.reverse();
            return changed;
        }
        let done = matches!(self, Self::Check);
        for n in places {
            if let Some(item) = items.get_mut(n).filter(|item| item.done != done) {
                item.done = done;
                changed.push(item.clone());
            }
        }
        changed
    }
}

/// Adds an item, or opens the one that is there and done; one that is there and open stays as it is.
fn add(items: &mut Vec<Item>, item: Item) -> Option<Item> {
    match items.iter_mut().find(|other| other.key() == item.key()) {
        Some(there) if there.done => {
            there.done = false;
            Some(there.clone())
        }
        Some(_) => None,
        None => {
            items.push(item.clone());
            Some(item)
        }
    }
}

/// Returns the place of the item: the one so called, else the only one in whose text it occurs.
fn place(items: &[Item], wanted: &Item) -> Result<usize> {
    let key = wanted.key();
    if let Some(n) = items.iter().position(|item| item.key() == key) {
        return Ok(n);
    }
    let near: Vec<usize> = (0..items.len()).filter(|n| items.get(*n).is_some_and(|i| i.key().contains(&key))).collect();
    if let [only] = near.as_slice() {
        return Ok(*only);
    }
    let named: Vec<&str> = items.iter().take(20).map(|item| item.text.as_str()).collect();
    let there = if named.is_empty() { "it is empty".to_owned() } else { format!("it has {}", named.join(", ")) };
    let problem = if near.is_empty() { "is not on the list" } else { "fits several items" };
    let error = Error::invalid(format!("'{}' {problem}: {there}. Nothing was changed.", wanted.text));
    let origin = items.iter().find_map(|item| item.origin.clone());
    Err(origin.into_iter().fold(error, Error::kept_from))
}

/// A list as it is given back: what is from outside in it came into the run.
fn shown(cx: &Context, list: &List, message: String) -> Value {
    cx.taint().note(list.origins());
    let done = list.items.iter().filter(|item| item.done).count();
    json!({
        "ok": true, "list": list.name, "items": list.items, "open": list.items.len() - done, "done": done,
        "message": message, "updated_at": list.updated_at,
    })
}

fn missing(name: &str, action: &str) -> Error {
    Error::invalid(format!("'{name}' is missing: {action} needs it."))
}
