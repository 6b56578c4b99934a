//! The clients that OpenAI and Anthropic publish, as programs use them.

#![expect(clippy::disallowed_methods, reason = "runs a script with the vendors' clients")]

use std::{env, sync::Arc};

use serde_json::{Value, json};
use tokio::process::Command;

use super::stage::key;
use crate::support::{
    chat::Chat,
    fake_llm::{Reply, call, say},
};

/// Answers whoever offers the weather with a call of it, until there is a result.
fn answer(request: &Value) -> Reply {
    let offers = request["tools"].to_string().contains("get_weather");
    let last = request["messages"].as_array().and_then(|messages| messages.last()).cloned().unwrap_or_default();
    match offers && last["role"] == "user" {
        true => call("get_weather", json!({"town": "Bern"})),
        false => say("It is sunny."),
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(not(has_sdks), ignore = "needs Python with `pip install openai anthropic`: SDK_PYTHON names one")]
async fn the_published_clients_are_served() {
    let chat = Chat::start(vec![]).await;
    chat.llm.think(Arc::new(answer));
    let python = env::var("SDK_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut script = Command::new(python);
    script.args(["-c", include_str!("sdks.py")]);
    script.env("BASE", chat.app.satchel.url.as_str().trim_end_matches('/'));
    script.env("KEY", key(&chat.owner, json!({})).await);
    let ran = script.output().await.unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{told}");
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "served");
}
