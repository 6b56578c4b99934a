//! What came of an approved call is kept, and told as it was.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn an_approved_call_is_settled_when_the_person_has_closed_the_page() {
    let app = TestApp::start().await;
    let (gate, mara) = (Gate::default(), app.caller(&[]).await);
    let invoker = tools::invoker(&app, vec![tools::held(Risk::HighWrite, &gate)]);
    let call = Call::new(mara.clone(), "held", json!({}));
    let Outcome::Confirm(ticket) = invoker.invoke(call, CancellationToken::new()).await.unwrap() else { panic!("ran") };
    let (id, person) = (ticket.id, mara.clone());
    let page = tokio::spawn(async move { invoker.decide(id, yes(), &person, CancellationToken::new()).await });
    gate.started.notified().await;
    page.abort();
    gate.release.notify_one();
    let app = app.restart().await;
    let tickets = &app.satchel.app.stores.tickets;
    let now = app.satchel.app.clock.now();
    assert_eq!(tickets.get(id, mara.user, now).await.unwrap().state, TicketState::Done);
    assert_eq!(ran(&tickets.verdict(id, mara.user, now).await.unwrap().unwrap()), &json!("let on"));
}

#[tokio::test]
async fn a_call_that_was_running_when_the_server_stopped_is_said_to_be_uncertain() {
    let scene = Scene::set().await;
    let ticket = scene.ask(scene.call("send", "hello")).await;
    let now = scene.app.satchel.app.clock.now();
    let executed = Approved { executed: Some(json!({"text": "edited"})), ..Approved::default() };
    let tickets = &scene.app.satchel.app.stores.tickets;
    tickets.take(ticket.id, scene.mara.user, executed, now).await.unwrap();
    assert!(tickets.verdict(ticket.id, scene.mara.user, now).await.unwrap().is_none(), "it still runs");
    let app = scene.app.restart().await;
    let verdict = app.satchel.app.stores.tickets.verdict(ticket.id, scene.mara.user, now).await.unwrap().unwrap();
    let Verdict::Failed { approved, .. } = &verdict else { panic!("{verdict:?}") };
    assert_eq!(approved.executed, Some(json!({"text": "edited"})), "what may have taken effect is what was approved");
    assert!(failed(&verdict).1.contains("may or may not have taken effect"), "{verdict:?}");
}

#[tokio::test]
async fn what_came_of_a_call_is_told_at_once_and_kept_when_the_database_takes_it_again() {
    let scene = Scene::set().await;
    let handles = &scene.app.satchel.app;
    let ticket = scene.ask(scene.call("send", "hello")).await;
    let refuse = "CREATE TRIGGER refuse BEFORE UPDATE ON tickets WHEN new.state = 'done'
                  BEGIN SELECT RAISE(ABORT, 'refused'); END";
    handles.db.write(move |tx| tx.script(refuse)).await.unwrap();
    let told = scene.approve(&ticket).await;
    let state =
        async || handles.stores.tickets.get(ticket.id, scene.mara.user, handles.clock.now()).await.unwrap().state;
    assert_eq!((state().await, scene.runs.count()), (TicketState::Running, 1));
    handles.db.write(|tx| tx.script("DROP TRIGGER refuse")).await.unwrap();
    while state().await != TicketState::Done {
        pause().await;
    }
    let kept = handles.stores.tickets.verdict(ticket.id, scene.mara.user, handles.clock.now()).await.unwrap().unwrap();
    assert_eq!((ran(&kept), scene.runs.count()), (ran(&told), 1), "and it has not run again");
}

#[tokio::test]
async fn what_a_program_reads_of_a_failure_is_told_after_an_approval_too() {
    let app = TestApp::start().await;
    let invoker = tools::invoker(&app, vec![tools::failing("breaks", Kind::Timeout).risk(Risk::HighWrite)]);
    let mara = app.caller(&[]).await;
    let call = || Call::new(mara.clone(), "breaks", json!({}));
    let Outcome::Confirm(ticket) = invoker.invoke(call(), CancellationToken::new()).await.unwrap() else {
        panic!("ran")
    };
    let (_, verdict) = invoker.decide(ticket.id, yes(), &mara, CancellationToken::new()).await.unwrap();
    let shown = InvokeAnswer::of_verdict("breaks", &verdict).unwrap();
    let collect = Call { ticket: Some(ticket.id), ..call() };
    let id = collect.id;
    let error = invoker.invoke(collect, CancellationToken::new()).await.unwrap_err();
    for answer in [shown, InvokeAnswer::failed(id, &error)] {
        let problem = answer.problem.unwrap();
        assert_eq!((problem.kind, problem.field.as_deref()), (Kind::Timeout, Some("text")));
        assert_eq!(problem.details, Some(json!({"field": "text", "done": 3})), "and nothing of the approval");
        assert_eq!(answer.meta["approved_by"], json!(mara.username));
    }
}
