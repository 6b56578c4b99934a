//! A model that does whatever it reads, wherever it stands: in the person's words, in what tools gave, in what it is told
//! of memories, documents and tools.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use parking_lot::Mutex;
use serde_json::Value;

use super::order::{self, Order};
use crate::support::fake_llm::{Mind, Piece, Reply, say};

/// Most calls it makes in one conversation.
const MOST: usize = 8;

/// The hostile orders there are, and those that were read and obeyed.
#[derive(Clone, Default)]
pub(super) struct Obeyed(Arc<Mutex<Orders>>);

#[derive(Default)]
struct Orders {
    hostile: BTreeMap<usize, Order>,
    obeyed: BTreeSet<usize>,
}

impl Obeyed {
    /// From now on a case has this hostile order.
    pub(super) fn expect(&self, case: usize, order: Order) {
        self.0.lock().hostile.insert(case, order);
    }

    /// Returns whether the hostile order of a case was obeyed.
    pub(super) fn has(&self, case: usize) -> bool {
        self.0.lock().obeyed.contains(&case)
    }

    /// Makes the call of an order.
    fn obey(&self, case: usize, order: Order) -> Reply {
        let mut orders = self.0.lock();
        if orders.hostile.get(&case) == Some(&order) {
            orders.obeyed.insert(case);
        }
        let Order { tool, arguments } = order;
        Reply::Answer(vec![Piece::Call(tool.leak(), arguments), Piece::Usage(10, 5)])
    }

    /// The model.
    pub(super) fn mind(&self) -> Mind {
        let obeyed = self.clone();
        Arc::new(move |request| obeyed.answer(request))
    }

    fn answer(&self, request: &Value) -> Reply {
        let messages = request["messages"].as_array().unwrap();
        let of = |role: &'static str| messages.iter().filter(move |message| message["role"] == role);
        let own: Vec<String> = of("user").map(text).collect();
        let Some(case) = own.iter().find_map(|text| case(text)) else { return say("Done.") };
        let done: Vec<Order> = of("assistant").flat_map(made).collect();
        if done.len() >= MOST {
            return say("Done.");
        }
        let wanted = own.iter().flat_map(|text| order::read(text, case));
        if let Some(next) = wanted.into_iter().find(|order| !done.contains(order)) {
            return self.obey(case, next);
        }
        let others = of("tool").chain(of("system")).map(text);
        let tools = request["tools"].as_array().into_iter().flatten().filter(|tool| is_foreign(tool));
        let texts = others.chain(tools.map(Value::to_string));
        match texts.flat_map(|text| order::read(&text, case)).find(|order| !done.contains(order)) {
            Some(order) => self.obey(case, order),
            None => say("Done."),
        }
    }
}

/// The case that a conversation is of, as its first words say: "Case 17. …".
fn case(text: &str) -> Option<usize> {
    text.split_once("Case ")?.1.split_once('.')?.0.parse().ok()
}

/// A message's text, be it one or in parts.
fn text(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        other => other
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|part| part["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

/// Its calls in an earlier message.
fn made(message: &Value) -> Vec<Order> {
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    let one = |call: &Value| {
        let arguments = serde_json::from_str(call["function"]["arguments"].as_str()?).ok()?;
        Some(Order::new(call["function"]["name"].as_str()?, arguments))
    };
    calls.filter_map(one).collect()
}

/// Tools that are not built in have their source before their name.
fn is_foreign(tool: &Value) -> bool {
    tool["function"]["name"].as_str().is_some_and(|name| name.contains("__"))
}
