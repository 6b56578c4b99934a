//! A little of everything that runs statements which are put together: each at least once.

use satchel::{
    model::{
        agent::{AgentId, draft::AgentDraft},
        call::{TicketId, decided::Outcome},
        caller::Caller,
        conversation::{ConversationId, FormerPlace, MessageId, Moment, TurnState},
        egress::Passed,
        job::Draft,
        knowledge::{DocumentId, NewCollection},
        run::{Purpose, RunId, RunKind, RunState},
        time::Time,
        usage::UsageBy,
    },
    store::{
        agents::{self, Agents, sessions::Root},
        audit,
        documents::Filter,
        egress,
        graph::{self, Graph},
        jobs::Whose,
        origins::{Kind, Origins, Vouch},
        people::Actor,
        runs::{self, Sight},
        tickets::DecidedFilter,
        turns::{AttachmentData, NewQueued, NewTurn, Question, QueuedChange, Turns},
        usage, uses,
    },
};
use serde_json::json;

use crate::support::app::TestApp;

pub async fn a_little_of_everything(app: &TestApp) {
    let caller = app.caller(&["*"]).await;
    with_tools(app, &caller).await;
    with_knowledge(app).await;
    with_the_graph(app).await;
    with_episodes(app, &caller).await;
    with_the_past(app, &caller).await;
    with_agents(app).await;
    with_sessions(app, &caller).await;
    with_jobs(app).await;
}

/// What is put is put twice: the second time it changes what is there.
async fn with_tools(app: &TestApp, caller: &Caller) {
    for (tool, params) in [
        ("index_put", json!({"id": "heron", "text": "It stands at the weir."})),
        ("graph_upsert_node", json!({"id": "heron", "labels": ["Bird"]})),
        ("graph_upsert_edge", json!({"src": "heron", "rel": "stands_at", "dst": "weir"})),
        ("graph_get_node", json!({"id": "heron"})),
        ("graph_neighbors", json!({"id": "heron", "rel": "stands_at"})),
        ("save_memory", json!({"content": "The heron stands at the weir", "category": "general"})),
        ("recall_memories", json!({"query": "heron"})),
    ] {
        for _ in 0..2 {
            app.data(caller, tool, params.clone()).await.unwrap();
        }
    }
}

async fn with_knowledge(app: &TestApp) {
    let (owner, stores) = (app.owner().await, &app.satchel.app.stores.knowledge);
    let reader = owner.caller.reader();
    let new = NewCollection::new("Herons", "", Some(vec!["administrator".to_owned()])).unwrap();
    let made = stores.collections.create(&owner, new).await.unwrap();
    stores.delete_collection(&owner, made.id).await.unwrap();
    let filter = Filter { q: Some("heron".to_owned()), ..Filter::default() };
    assert!(stores.documents.list(reader.clone(), filter.clone()).await.unwrap().is_empty());
    assert_eq!(stores.documents.matching(reader.clone(), filter).await.unwrap(), 0);
    let named = vec![DocumentId::new()];
    assert!(stores.documents.chunk_ids(reader.clone(), named, vec!["pdf".to_owned()]).await.unwrap().is_empty());
    assert!(stores.documents.excerpts(reader.clone(), vec![1]).await.unwrap().is_empty());
    assert!(stores.ingest.embedding(1).await.unwrap().is_empty());
    assert!(uses::documents(&app.satchel.app.db, reader.clone(), 1).await.unwrap().is_empty());
}

async fn with_the_graph(app: &TestApp) {
    let sight = graph::Sight::new(&app.owner().await.caller);
    let graph = Graph::new(&app.satchel.app.db);
    let filter = graph::Filter { q: Some("heron".to_owned()), label: Some("Bird".to_owned()), limit: 5 };
    let found = graph.nodes(sight.clone(), filter).await.unwrap();
    assert_eq!(found.iter().map(|node| node.id.as_str()).collect::<Vec<_>>(), ["heron"]);
    assert_eq!(graph.overview(sight.clone()).await.unwrap().nodes, 2);
    assert_eq!(graph.around(sight.clone(), "heron", None, 1).await.unwrap().edges.len(), 1);
}

/// Somebody who may do everything, and has an account.
async fn person(app: &TestApp) -> Actor {
    Actor { caller: app.caller(&["*"]).await, ..app.owner().await }
}

async fn with_agents(app: &TestApp) {
    let (owner, db) = (person(app).await, &app.satchel.app.db);
    let (agents, caller) = (Agents::new(db), &owner.caller);
    let draft: AgentDraft = serde_json::from_value(json!({"name": "heron", "shared_with": ["operator"]})).unwrap();
    let made = agents.create(&owner, draft.clone()).await.unwrap();
    agents.change(&owner, made.id.clone(), (Some(1), draft)).await.unwrap();
    assert_eq!(agents.list(caller).await.unwrap().len(), 2);
    assert!(agents.bytes(caller).await.unwrap() > 0);
    assert!(agents.named(caller, "Heron").await.unwrap().is_some());
    assert_eq!(agents.versions(caller, made.id.clone()).await.unwrap().len(), 2);
    agents.version(caller, made.id.clone(), 1).await.unwrap();
    assert_eq!(agents::spent(db, &made.id, caller.user, app.satchel.app.clock.now()).await.unwrap(), 0);
    assert_eq!(agents.offered(caller).await.unwrap().len(), 2);
    assert_eq!(agents.offered_as(caller, "Heron").await.unwrap().id, made.id);
    agents.delete(&owner, made.id).await.unwrap();
}

/// Sessions below a conversation: looked for, told of, stopped.
async fn with_sessions(app: &TestApp, caller: &Caller) {
    let db = &app.satchel.app.db;
    let topic = app.conversation(caller).await;
    for top in [None, Some(topic)] {
        assert!(agents::sessions::below(db, caller.user, top).await.unwrap().is_empty());
    }
    assert_eq!(agents::sessions::line(db, caller.user, topic).await.unwrap().len(), 1);
    assert!(agents::shares(db, RunId::new()).await.unwrap().is_empty());
    for root in [Root::Run(RunId::new()), Root::Conversation(topic)] {
        assert!(agents::sessions::stop(db, root).await.unwrap().is_empty());
    }
    assert!(agents::sessions::to_tell(db).await.unwrap().is_empty());
    assert!(agents::sessions::due(db, topic).await.unwrap().is_empty());
    assert_eq!(agents::sessions::wakes(db, topic).await.unwrap(), 0);
    assert!(agents::sessions::last_texts(db, topic, (5, 9)).await.unwrap().is_empty());
}

/// A job by a webhook: made, changed, run, told of, deleted.
async fn with_jobs(app: &TestApp) {
    let (owner, jobs) = (person(app).await, &app.satchel.services.jobs);
    let stored = &app.satchel.app.stores.jobs;
    let draft = || -> Draft {
        serde_json::from_value(json!({"when": {"webhook": {}}, "do": {"message": "heron"}, "notify": ["inbox"]}))
            .unwrap()
    };
    let id = jobs.create(&owner, draft()).await.unwrap().job.id;
    jobs.replace(&owner, id, draft()).await.unwrap();
    assert_eq!(stored.list(Whose::All).await.unwrap().len(), 1);
    let job = stored.get(id, Whose::Own(owner.caller.user)).await.unwrap();
    let path = job.when.webhook.unwrap().path.unwrap();
    let hook = stored.by_hook(path.strip_prefix("/hooks/").unwrap()).await.unwrap().unwrap();
    stored.take_message(hook.job, "1".to_owned(), "{}".to_owned(), owner.now).await.unwrap();
    jobs.run_due().await.unwrap();
    jobs.idle().await;
    stored.pause(&owner, id, Whose::All).await.unwrap();
    stored.resume(&owner, id).await.unwrap();
    stored.run_now(&owner, id).await.unwrap();
    assert!(stored.next_at().await.unwrap().is_some());
    assert_eq!(stored.runs(id, Whose::All).await.unwrap().len(), 2);
    stored.delete(&owner, id, Whose::All).await.unwrap();
}

async fn with_episodes(app: &TestApp, caller: &Caller) {
    let episodes = app.satchel.app.stores.memories.episodes();
    assert!(episodes.resting(Time::from_millis(0)).await.unwrap().is_empty());
    assert!(episodes.left(caller.user, ConversationId::new()).await.unwrap().is_empty());
    assert!(episodes.one(caller.user, ConversationId::new()).await.unwrap().is_none());
}

async fn with_the_past(app: &TestApp, caller: &Caller) {
    let (owner, db) = (app.owner().await, &app.satchel.app.db);
    let text = || Some("heron".to_owned());
    let filter = egress::Filter {
        before: Some(9),
        host: Some(".example.com".to_owned()),
        by: text(),
        user: text(),
        call: text(),
        outcome: Some(Passed::Refused),
    };
    assert!(egress::find(db, filter, 5).await.unwrap().is_empty());
    egress::summary(db).await.unwrap();

    let audit = &app.satchel.app.stores.audit;
    let filter = audit::Filter {
        tool: text(),
        user: text(),
        text: text(),
        from: Some(Time::from_millis(1)),
        to: Some(app.satchel.app.clock.now()),
        ..audit::Filter::default()
    };
    assert!(audit.find(filter.clone(), 5).await.unwrap().is_empty());
    audit.facets(filter).await.unwrap();
    audit.facets(audit::Filter { user: text(), ..audit::Filter::default() }).await.unwrap();

    let conversation = app.conversation(caller).await;
    let place = FormerPlace { conversation, question: MessageId::new(), number: 1 };
    let turns = Turns::new(db);
    turns.former_weight(caller.user, place).await.unwrap_err();
    turns.former(caller.user, place).await.unwrap_err();
    for data in [AttachmentData::Read, AttachmentData::LeftOut] {
        turns.page_weight(caller.user, conversation, None, data).await.unwrap();
    }

    for state in [RunState::Uncertain, RunState::Done, RunState::Running] {
        let (agent, before) = (text(), Some(RunId::new()));
        let filter = runs::Filter { kind: Some(RunKind::Chat), agent, state: Some(state), before };
        assert!(runs::find(db, Sight::new(caller), filter, 5).await.unwrap().is_empty());
    }
    runs::get(db, Sight::new(caller), RunId::new()).await.unwrap_err();
    let person = app.caller(&[]).await;
    assert!(runs::find(db, Sight::new(&person), runs::Filter::default(), 5).await.unwrap().is_empty());
    runs::get(db, Sight::new(&person), RunId::new()).await.unwrap_err();

    let origins = Origins::new(db);
    origins.list(caller).await.unwrap();
    let vouch = Vouch { kind: Kind::Memory, id: "none".to_owned(), updated_at: Time::from_millis(1) };
    origins.vouch(&owner, vouch).await.unwrap_err();
    waiting(app, caller, &turns, conversation).await;
}

/// What waits behind answers, what they cost, and what was decided.
async fn waiting(app: &TestApp, caller: &Caller, turns: &Turns, conversation: ConversationId) {
    let (db, now) = (&app.satchel.app.db, app.satchel.app.clock.now());
    assert!(turns.queued(caller.user, conversation).await.unwrap().is_empty());
    assert!(turns.first_queued(conversation, None).await.unwrap().is_none());
    assert!(turns.first_queued(conversation, Some(MessageId::new())).await.unwrap().is_none());
    let place = (conversation, MessageId::new());
    turns.change_queued(caller, place, QueuedChange::default()).await.unwrap_err();
    turns.withdraw(caller.user, place).await.unwrap_err();
    let agent = Agents::new(db).current(caller, AgentId::assistant()).await.unwrap();
    let purpose = Purpose::default();
    let new = NewTurn { conversation, caller: caller.clone(), provider: None, agent, purpose, now };
    let question = Question { text: "One?".to_owned(), attachments: Vec::new(), title: "One".to_owned() };
    let (turn, ..) = turns.begin(new, question).await.unwrap();
    let text = "Two?".to_owned();
    let (caller, moment) = (caller.clone(), Moment::Now);
    let user = caller.user;
    let new = NewQueued { caller, conversation, text, attachments: Vec::new(), provider: None, moment, now };
    turns.queue(new).await.unwrap().unwrap();
    assert_eq!(turns.steer(&turn, now).await.unwrap().len(), 1);
    turns.set_state(turn.claim(), TurnState::Done, None, (now, 1)).await.unwrap();

    let range = usage::Range { from: now.day(), to: now.day() };
    for by in [UsageBy::Day, UsageBy::Person, UsageBy::Agent, UsageBy::Model, UsageBy::Tool] {
        for reader in [None, Some(user)] {
            assert!(usage::report(db, by, range.clone(), reader).await.unwrap().is_empty());
        }
    }
    for outcome in Outcome::ALL.map(Some).into_iter().chain([None]) {
        let filter = DecidedFilter { outcome, tool: Some("heron".to_owned()), before: Some(TicketId::new()) };
        assert!(app.satchel.app.stores.tickets.decided(user, filter, (now, 5)).await.unwrap().is_empty());
    }
}
