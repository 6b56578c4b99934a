//! Calls while so much is under way that nothing finds a place any more.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    sync::{Notify, Semaphore},
    task::yield_now,
};

use super::*;
use satchel_config::{GraphKind, LogFormat, Outbound, VaultKey};
use satchel_engine::{decide::Answer, invoker::Invoker, registry::Registry, tool::Tool};
use satchel_model::{
    call::{Call, Decision, Outcome, TicketState},
    caller::{Caller, Credential, Door, Permissions},
    error::Kind,
    output::Output,
    secret::Secret,
    spec::{Category, Risk, Source, Spec},
    user::Username,
};
use satchel_services::handles::Handles;
use satchel_store::{audit::Filter, conversations::Conversations, people::Actor, tickets::Verdict, users::NewUser};
use satchel_tools as tools;

/// The gate at which the tool is held.
#[derive(Clone, Default)]
struct Gate {
    started: Arc<Notify>,
    release: Arc<Notify>,
}

/// Says that it has started, waits to be let on, and brings in something from outside.
fn held(gate: &Gate) -> Tool {
    let gate = gate.clone();
    let spec = Spec {
        name: "post".to_owned(),
        source: Source::Catalog,
        category: Category::Catalog,
        description: "Posts something.".to_owned(),
        when_to_use: "Never.".to_owned(),
        parameters: json!({"type": "object"}).into(),
        risk: Risk::HighWrite,
        permission: None,
        timeout: Duration::from_secs(60),
        settings: Vec::new(),
        examples: Vec::new(),
        innate: false,
        own_data: false,
    };
    let run = move |_, _: Value| {
        let gate = gate.clone();
        async move {
            gate.started.notify_one();
            gate.release.notified().await;
            Ok(Output::text("what a stranger says"))
        }
    };
    Tool::of_spec(spec, run).unwrap()
}

fn config(data: &Path) -> Config {
    Config {
        data: data.to_owned(),
        listen: ([127, 0, 0, 1], 0).into(),
        behind_proxy: false,
        log: "warn".to_owned(),
        log_format: LogFormat::Human,
        owner: None,
        model: None,
        vault_key: VaultKey::File,
        graph: GraphKind::Own,
        outbound: Outbound::default(),
        commit_each: false,
        program: "satchel".into(),
    }
}

/// Somebody without a permission, who is asked before anything is changed.
async fn mara(app: &App) -> Caller {
    let by = Actor { caller: app.stores.people.local_caller().await.unwrap(), session: None, now: app.clock.now() };
    let permissions = Permissions::default();
    app.stores.people.create_role(&by, "guest".to_owned(), permissions.clone()).await.unwrap();
    let username = Username::try_from("mara".to_owned()).unwrap();
    let new = NewUser { username, password: Secret::new("correct horse"), role: "guest".to_owned() };
    let user = app.stores.people.create_user(&by, new).await.unwrap().id;
    Caller {
        user,
        username: "mara".to_owned(),
        permissions,
        door: Door::Api,
        credential: Credential::Session,
        personal: true,
        agent: None,
    }
}

#[tokio::test]
async fn a_call_that_ran_is_told_as_done_however_much_waits_to_be_written() {
    let dir = tempfile::tempdir().unwrap();
    let data = DataDir::hold(dir.path()).unwrap();
    let app = services(&data, config(dir.path())).await.unwrap();
    let mara = mara(&app).await;
    let topic = Conversations::new(&app.db).create(mara.user, String::new(), app.clock.now()).await.unwrap().id;
    let places = Arc::new(Semaphore::new(1));
    let crowded = app.db.crowded(Arc::clone(&places));
    let app = Arc::new(App { stores: Stores { tickets: Tickets::new(&crowded), ..app.stores }, db: crowded, ..app });
    let gate = Gate::default();
    let invoker = Invoker::new(Arc::clone(&app), Registry::new(vec![held(&gate)]).unwrap());
    let call = Call { topic: Some(topic), ..Call::new(mara.clone(), "post", json!({})) };
    let Outcome::Confirm(ticket) = invoker.invoke(call, CancellationToken::new()).await.unwrap() else { panic!("ran") };
    let deciding = tokio::spawn({
        let (invoker, mara, id) = (invoker.clone(), mara.clone(), ticket.id);
        let answer =
            Answer { decision: Decision::Approve, reason: None, params: None, question: None, for_conversation: false };
        async move { invoker.decide(id, answer, &mara, CancellationToken::new()).await }
    });
    gate.started.notified().await;
    let last = Arc::clone(&places).acquire_owned().await.unwrap();
    gate.release.notify_one();
    // Its row has a place of its own; what is written after it has none.
    let ran =
        || Filter { tool: Some("catalog:post".to_owned()), outcome: Some("success".to_owned()), ..Filter::default() };
    while app.stores.audit.find(ran(), 1).await.unwrap().is_empty() && !deciding.is_finished() {
        yield_now().await;
    }
    for _ in 0..100 {
        yield_now().await;
    }
    drop(last);
    let (decided, verdict) = deciding.await.unwrap().unwrap();
    assert!(matches!(&verdict, Verdict::Ran { output, .. } if output.data == "what a stranger says"), "{verdict:?}");
    let kept = app.stores.tickets.get(ticket.id, mara.user, app.clock.now()).await.unwrap();
    assert_eq!((decided.state, kept.state), (TicketState::Done, TicketState::Done));
    assert!(Conversations::new(&app.db).get(mara.user, topic).await.unwrap().tainted);
}

#[tokio::test]
async fn what_the_data_tools_compute_for_long_waits_for_its_turn_at_heavy_work() {
    let dir = tempfile::tempdir().unwrap();
    let data = DataDir::hold(dir.path()).unwrap();
    let app = services(&data, config(dir.path())).await.unwrap();
    let mara = mara(&app).await;
    let app = Arc::new(App { host: Host { work: Work::shared(0, 0).impatient(), ..app.host }, ..app });
    let invoker = Invoker::new(Arc::clone(&app), Registry::new(tools::list::all(&Handles::default())).unwrap());
    let answer = async |tool: &str, params: Value| {
        let call = Call::new(mara.clone(), tool, params);
        invoker.invoke(call, CancellationToken::new()).await.map(drop).map_err(|error| error.kind())
    };
    let rows = |count: usize| json!({"data": json!(vec![0; count]).to_string(), "action": "count"});
    let sum = |terms: usize| json!({"expression": format!("1{}", " + 1".repeat(terms))});
    assert_eq!((answer("transform_data", rows(3)).await, answer("calculator", sum(3)).await), (Ok(()), Ok(())));
    let refused = (answer("transform_data", rows(100_000)).await, answer("calculator", sum(500)).await);
    assert_eq!(refused, (Err(Kind::Busy), Err(Kind::Busy)));
}

#[tokio::test]
async fn large_calls_that_wait_for_others_keep_nobody_waiting() {
    let dir = tempfile::tempdir().unwrap();
    let data = DataDir::hold(dir.path()).unwrap();
    let app = Arc::new(services(&data, config(dir.path())).await.unwrap());
    let owner = app.stores.people.local_caller().await.unwrap();
    let gate = Gate::default();
    let echo = tools::list::all(&Handles::default()).into_iter().find(|tool| tool.spec().name == "calculator").unwrap();
    let invoker = Invoker::new(Arc::clone(&app), Registry::new(vec![held(&gate), echo]).unwrap());
    let large = "x".repeat(64 << 10);
    let mut waiting = Vec::new();
    for _ in 0..2 {
        let (invoker, owner, large) = (invoker.clone(), owner.clone(), large.clone());
        let call = Call::new(owner, "post", json!({"text": large}));
        waiting.push(tokio::spawn(async move { invoker.invoke(call, CancellationToken::new()).await }));
        gate.started.notified().await;
    }
    let sum = Call::new(owner, "calculator", json!({"expression": format!("1{}", " ".repeat(64 << 10))}));
    let answered = invoker.invoke(sum, CancellationToken::new()).await;
    assert!(!matches!(&answered, Err(error) if error.kind() == Kind::Busy), "{answered:?}");
    for call in waiting {
        gate.release.notify_one();
        assert!(matches!(call.await.unwrap().unwrap(), Outcome::Done(_)));
    }
}
