//! The questions of a running script to the world, answered with its caller's rights and no others.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{loaded::Loaded, requests, secrets::Secrets};
use satchel_engine::{confirm, context::Context};
use satchel_model::{error::Result, secret::forms};
use satchel_script::wire::{Answer, Ask};
use satchel_store::scripts::{ScriptValue, Scripts};

/// The refusal where a secret would come to stand outside.
const STAYS: &str = "A secret leaves a script only in a request to a host it was granted.";

/// Answers one run.
pub(super) struct Answers {
    cx: Context,
    script: Arc<Loaded>,
    secrets: Arc<Secrets>,
}

impl Answers {
    pub(super) fn new(cx: &Context, script: &Arc<Loaded>) -> Self {
        let secrets = Arc::new(Secrets::new(cx.settings(), &script.head));
        Self { cx: cx.clone(), script: Arc::clone(script), secrets }
    }

    /// The answer, in a future of its own.
    pub(super) fn answer(&self, ask: Ask) -> impl Future<Output = Answer> + use<> {
        let (cx, script, secrets) = (self.cx.clone(), Arc::clone(&self.script), Arc::clone(&self.secrets));
        async move {
            match ask {
                Ask::Tool { name, params } => tool(&cx, &script, &secrets.forms, name, params).await,
                Ask::Http(request) => requests::send(&cx, &script, &secrets, request).await,
                Ask::KvSet { key, value }
                    if forms::stand_in(&key, &secrets.forms) || forms::are_in(&value, &secrets.forms) =>
                {
                    Answer::Ended(STAYS.to_owned())
                }
                kept if script.head.kv => match keep(&cx, &script, kept).await {
                    Ok(value) => Answer::Value(value),
                    Err(error) => Answer::Failed(error.message().to_owned()),
                },
                _ => Answer::Ended("The script keeps values: its header must say // @kv".to_owned()),
            }
        }
    }
}

async fn tool(cx: &Context, script: &Loaded, secrets: &[String], name: String, params: Value) -> Answer {
    if !script.head.uses.contains(&name) {
        return Answer::Ended(format!("The header does not say that the script uses '{name}': add // @uses {name}"));
    }
    if forms::are_in(&params, secrets) {
        return Answer::Ended(STAYS.to_owned());
    }
    match cx.invoke(&name, params).await {
        Ok(done) => Answer::Value(done.output.data),
        Err(error) => match confirm::unasked_risk(&error) {
            // Caught, it would go unseen that what the script is for cannot be.
            Some(risk) => Answer::Ended(format!(
                "{error} Say in the header // @risk {risk}: then the script asks before it runs, and may."
            )),
            None => Answer::Failed(error.message().to_owned()),
        },
    }
}

async fn keep(cx: &Context, script: &Loaded, ask: Ask) -> Result<Value> {
    let (kept, name, user) = (Scripts::new(&cx.app().db), script.head.name.as_str(), cx.caller().user);
    match ask {
        Ask::KvGet { key } => {
            let found = kept.value(name, user, key).await?;
            cx.taint().note(found.as_ref().and_then(|found| found.origin.clone()));
            Ok(found.map_or(Value::Null, |found| found.value))
        }
        Ask::KvSet { key, value: Value::Null } => Ok(json!(kept.forget(name, user, key).await?)),
        Ask::KvSet { key, value } => {
            let value = ScriptValue { value, origin: cx.taint().origin_to_keep(), updated_at: cx.now() };
            kept.keep(name, user, key, value).await.map(|()| Value::Bool(true))
        }
        _ => {
            let (keys, origins): (Vec<_>, Vec<_>) = kept.keys(name, user).await?.into_iter().unzip();
            cx.taint().note(origins.into_iter().flatten());
            Ok(json!(keys))
        }
    }
}
