//! The calls of one message: together, in order, stopped; with tools made for the test.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use satchel::{
    agent::{
        chat::{Agent, Bounds, NewMessage},
        log::{Frame, Subscription},
    },
    engine::{context::Context, decide::Answer, invoker::Invoker, registry::Registry, tool::Tool},
    model::{
        call::Decision,
        caller::Caller,
        conversation::ConversationId,
        error::Error,
        output::Output,
        spec::{Category, Risk},
    },
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{sync::Barrier, time::timeout};
use tokio_util::sync::CancellationToken;

use super::support::{
    chat::{Chat, results},
    fake_llm::{PATIENCE, calls, say},
};

#[derive(Deserialize, JsonSchema)]
struct Args {
    name: String,
}

/// The deeds of the tools, in order.
#[derive(Clone, Default)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    fn write(&self, line: String) {
        self.0.lock().push(line);
    }

    fn read(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}

/// Ends only once two of it run.
fn meet() -> Tool {
    let both = Arc::new(Barrier::new(2));
    Tool::new("meet", Category::Data, "For tests.", "In tests.", move |_: Context, _: Args| {
        let both = Arc::clone(&both);
        async move {
            both.wait().await;
            Ok(Output::text("met"))
        }
    })
}

/// Writes its name down when it begins and when it ends.
fn note(diary: &Diary) -> Tool {
    let diary = diary.clone();
    let run = move |_: Context, args: Args| {
        let diary = diary.clone();
        async move {
            diary.write(format!("begin {}", args.name));
            tokio::task::yield_now().await;
            diary.write(format!("end {}", args.name));
            Ok(Output::text(args.name))
        }
    };
    Tool::new("note", Category::Data, "For tests.", "In tests.", run).risk(Risk::LowWrite)
}

/// Writes its name down and never ends.
fn wait(diary: &Diary) -> Tool {
    let diary = diary.clone();
    let run = move |_: Context, args: Args| {
        let diary = diary.clone();
        async move {
            diary.write(format!("wait {}", args.name));
            std::future::pending::<()>().await;
            Ok(Output::text("never"))
        }
    };
    Tool::new("wait", Category::Data, "For tests.", "In tests.", run).timeout(Duration::from_secs(600))
}

#[derive(Deserialize, JsonSchema)]
struct Secret {
    host: String,
    api_key: String,
}

/// Asks a person, and fails.
fn reach() -> Tool {
    Tool::new("reach", Category::Data, "For tests.", "In tests.", |_: Context, args: Secret| async move {
        let key = args.api_key.len();
        Err::<Output, _>(Error::upstream(format!("{} refuses a key of {key} characters.", args.host)))
    })
    .risk(Risk::Destructive)
}

struct Scene {
    chat: Chat,
    agent: Agent,
    invoker: Invoker,
    caller: Caller,
    conversation: ConversationId,
}

impl Scene {
    async fn start(chat: Chat, diary: &Diary) -> Self {
        let app = Arc::clone(&chat.app.satchel.app);
        let registry = Registry::new(vec![meet(), note(diary), wait(diary), reach()]).unwrap();
        let invoker = Invoker::new(Arc::clone(&app), registry);
        let agent = Agent::new(
            Arc::clone(&app),
            invoker.clone(),
            chat.app.satchel.services.finder.learner().clone(),
            Bounds::default(),
        );
        let agent = agent.unwrap();
        let caller = chat.app.owner().await.caller;
        let made = agent.conversations().create(caller.user, String::new(), app.clock.now()).await.unwrap();
        Self { chat, agent, invoker, caller, conversation: made.id }
    }

    async fn turn(&self) -> Vec<Arc<Frame>> {
        let message = NewMessage { content: "Go.".to_owned(), ..NewMessage::default() };
        Self::rest(self.agent.send(&self.caller, self.conversation, message).await.unwrap()).await
    }

    async fn rest(mut events: Subscription) -> Vec<Arc<Frame>> {
        let mut read = Vec::new();
        while let Some(frame) = timeout(PATIENCE, events.next()).await.expect("no event in time") {
            read.push(frame);
        }
        read
    }
}

#[tokio::test]
async fn calls_that_read_run_together() {
    let wanted = calls(vec![("meet", json!({"name": "a"})), ("meet", json!({"name": "b"}))]);
    let scene = Scene::start(Chat::start(vec![wanted, say("Met.")]).await, &Diary::default()).await;
    let events = scene.turn().await;
    let ends = events.iter().filter(|frame| frame.event == "tool_end").count();
    assert_eq!((ends, events.last().unwrap().event), (2, "done"));
}

#[tokio::test]
async fn calls_that_write_run_one_after_the_other_in_the_models_order() {
    let note = |name: &str| ("note", json!({"name": name}));
    let wanted = calls(vec![note("a"), note("b"), note("c")]);
    let diary = Diary::default();
    let scene = Scene::start(Chat::start(vec![wanted, say("Noted.")]).await, &diary).await;
    scene.turn().await;
    assert_eq!(diary.read(), ["begin a", "end a", "begin b", "end b", "begin c", "end c"]);
}

#[tokio::test]
async fn stopping_ends_running_tools_and_begins_no_others() {
    let wanted = calls(vec![("wait", json!({"name": "a"})), ("note", json!({"name": "b"}))]);
    let diary = Diary::default();
    let scene = Scene::start(Chat::start(vec![wanted]).await, &diary).await;
    let message = NewMessage { content: "Go.".to_owned(), ..NewMessage::default() };
    let mut events = scene.agent.send(&scene.caller, scene.conversation, message).await.unwrap();
    while events.next().await.expect("the turn ended by itself").event != "tool_start" {}
    let running = async {
        while diary.read().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, running).await.expect("the tool was not started in time");
    scene.agent.stop(scene.caller.user, scene.conversation).await.unwrap();
    assert_eq!(diary.read(), ["wait a"]);
    let view = scene.agent.view(scene.caller.user, scene.conversation).await.unwrap();
    let states: Vec<_> = view.messages[1].steps.iter().map(|step| step.state.as_str()).collect();
    assert_eq!(states, ["cancelled", "skipped"]);
    let rows = scene.chat.owner.do_it("GET", "/api/audit?tool=builtin:wait", Value::Null).await;
    let row = &rows["entries"][0];
    assert_eq!(
        (&row["outcome"], &row["error"]),
        (&json!("stopped"), &json!("The call was stopped before it was done."))
    );
    let over_time = scene.chat.owner.do_it("GET", "/api/audit/histogram?tool=builtin:wait", Value::Null).await;
    let bins = over_time["bins"].as_array().unwrap();
    let sum = |of: &str| bins.iter().map(|bin| bin[of].as_i64().unwrap()).sum::<i64>();
    assert_eq!((sum("all"), sum("wrong")), (1, 0), "a stop is nothing that went wrong: {over_time}");
    let turn = scene.chat.owner.do_it("GET", "/api/audit?event_type=chat_turn", Value::Null).await;
    assert_eq!(turn["entries"][0]["outcome"], "stopped");
}

#[tokio::test]
async fn a_secret_a_person_typed_when_approving_reaches_no_model_where_the_call_fails() {
    let asked = |host: &str, key: &str| json!({"host": host, "api_key": key});
    let script = vec![calls(vec![("reach", asked("a", "none"))]), say("It refuses.")];
    let scene = Scene::start(Chat::start(script).await, &Diary::default()).await;
    let parked = scene.turn().await;
    let asks = parked.iter().find(|frame| frame.event == "confirmation").expect("it asks");
    let ticket = serde_json::from_str::<Value>(&asks.data).unwrap()["ticket"]["id"].as_str().unwrap().parse().unwrap();
    let params = Some(asked("b", "CANARY"));
    let answer = Answer { decision: Decision::Approve, reason: None, params, question: None, for_conversation: false };
    let (decided, _) = scene.invoker.decide(ticket, answer, &scene.caller, CancellationToken::new()).await.unwrap();
    scene.agent.ticket_decided(&decided, &scene.caller).await.unwrap();
    let (user, last) = (scene.caller.user, &parked.last().unwrap().id);
    let ended = Scene::rest(scene.agent.events(user, scene.conversation, Some(last)).await.unwrap()).await;
    assert_eq!(ended.last().unwrap().event, "done");
    let body = scene.chat.llm.body(1);
    let wanted = format!(
        "[TOOL:reach]\nThe person changed the arguments before approving. What ran is not what you asked for, but:\n  \
         host: b\n  api_key: ***\nChanged by {}:\n  host, was \"a\", now \"b\"\n  api_key, was \"***\", now \
         \"***\"\nResult:\nerror: b refuses a key of 6 characters.\n[/TOOL]",
        scene.caller.username
    );
    assert_eq!(results(&body), [wanted]);
    assert!(!body.to_string().contains("CANARY"), "{body}");
}
