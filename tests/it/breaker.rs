//! A provider that fails is noticed once: counted in the requests it receives, not in time.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use satchel::{
    model::{
        error::Kind,
        llm::{ChatMessage, ChatRequest, Provider, ProviderId, ProviderKind},
        provider::{health::ProviderState, parameters::Parameters},
        secret::Secret,
    },
    net::llm::{
        answer::Patience,
        breaker::{Breakers, Pace},
        chain::Models,
    },
};

use tokio::{sync::Notify, task::JoinSet};

use super::support::{
    fake_llm::{FakeLlm, Piece, Reply, refuse, say},
    library::pause,
    way::{breakers, way_out},
};

/// No probe comes while a test runs.
const NEVER: Pace = Pace { first: Duration::from_secs(3_600), longest: Duration::from_secs(3_600) };
/// Probes come at once.
const SOON: Pace = Pace { first: Duration::from_millis(5), longest: Duration::from_millis(20) };

/// As long as any answer takes that comes.
const LONG: Duration = Duration::from_secs(60);

fn provider(name: &str, address: &str) -> Provider {
    Provider {
        id: ProviderId::new(),
        kind: ProviderKind::Openai,
        name: name.to_owned(),
        base_url: format!("http://{address}").parse().unwrap(),
        model: "fake-1".to_owned(),
        api_key: None,
        priority: 0,
        enabled: true,
        context_tokens: None,
        parameters: Parameters::default(),
        from_environment: false,
    }
}

fn at(name: &str, llm: &FakeLlm) -> Provider {
    provider(name, &llm.address.to_string())
}

fn question() -> ChatRequest {
    let messages = vec![ChatMessage::User { text: "Hello?".to_owned(), images: Vec::new() }];
    ChatRequest { messages, ..ChatRequest::default() }
}

/// Returns the client one person's turn asks models with: each turn has its own, and they share the breakers.
fn models(breakers: &Breakers) -> Models {
    Models::new(way_out(), Patience { first: LONG, stall: LONG, ..Patience::default() }, breakers.clone())
}

/// The same for a turn that meets a provider which says nothing. Another one must answer in this time as well.
fn hasty_models(breakers: &Breakers) -> Models {
    Models::new(
        way_out(),
        Patience { first: Duration::from_secs(10), stall: LONG, ..Patience::default() },
        breakers.clone(),
    )
}

/// The same for somebody who does not give up while a test runs.
fn patient(breakers: &Breakers) -> Models {
    let hour = Duration::from_secs(3_600);
    Models::new(way_out(), Patience { first: hour, stall: hour, whole: hour }, breakers.clone())
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < 4 * LONG, "waited for {what}");
        pause().await;
    }
}

fn state(breakers: &Breakers, provider: &Provider) -> ProviderState {
    breakers.health(provider).state
}

#[tokio::test]
async fn a_provider_that_hangs_is_waited_for_once_and_passed_over_by_all_turns_after() {
    let dead = FakeLlm::start(vec![Reply::Silence; 9]).await;
    let well = FakeLlm::start((0..5).map(|_| say("Here.")).collect()).await;
    let (breakers, chain) = (breakers(NEVER), [at("First", &dead), at("Second", &well)]);
    for step in 0..5 {
        let models = if step == 0 { hasty_models(&breakers) } else { models(&breakers) };
        let answer = models.ask(&chain, &question()).await.unwrap();
        assert_eq!(answer.provider.name, "Second", "step {step}");
        let first = answer.instead_of.clone().unwrap();
        assert_eq!((first.provider.as_str(), first.address), ("First", dead.address.to_string()));
        assert!(first.cause.contains("sent nothing"), "{}", first.cause);
        assert_eq!(answer.text().await.unwrap().0, "Here.");
    }
    assert_eq!((dead.asked(), well.asked()), (1, 5));
    let health = breakers.health(&chain[0]);
    assert_eq!((health.state, health.failures), (ProviderState::Open, 1));
}

#[tokio::test]
async fn a_provider_that_falls_silent_in_the_middle_of_an_answer_is_passed_over() {
    let held = Reply::Answer(vec![Piece::Text("I th".to_owned()), Piece::Hold(Arc::new(Notify::new()))]);
    let dead = FakeLlm::start(vec![held]).await;
    let well = FakeLlm::start(vec![say("Here.")]).await;
    let (breakers, chain) = (breakers(NEVER), [at("First", &dead), at("Second", &well)]);
    let patience = Patience { first: LONG, stall: Duration::from_millis(500), ..Patience::default() };
    let answer = Models::new(way_out(), patience, breakers.clone()).ask(&chain, &question()).await.unwrap();
    assert_eq!(state(&breakers, &chain[0]), ProviderState::Closed);
    assert_eq!(answer.text().await.unwrap_err().kind(), Kind::Timeout);
    assert_eq!(state(&breakers, &chain[0]), ProviderState::Open);
    let answer = models(&breakers).ask(&chain, &question()).await.unwrap();
    assert_eq!((answer.provider.name.as_str(), dead.asked()), ("Second", 1));
}

#[tokio::test]
async fn every_failure_that_is_the_providers_opens_its_breaker() {
    for status in [401, 402, 403, 404, 429, 500, 503] {
        let dead = FakeLlm::start(vec![refuse(status); 9]).await;
        let well = FakeLlm::start(vec![say("One."), say("Two.")]).await;
        let (breakers, chain) = (breakers(NEVER), [at("First", &dead), at("Second", &well)]);
        let answer = models(&breakers).ask(&chain, &question()).await.unwrap();
        assert_eq!(answer.instead_of.unwrap().status, Some(status));
        let asked = dead.asked();
        models(&breakers).ask(&chain, &question()).await.unwrap();
        assert_eq!((dead.asked(), state(&breakers, &chain[0])), (asked, ProviderState::Open), "{status}");
    }
}

#[tokio::test]
async fn an_answer_that_ends_before_its_first_word_opens_the_breaker() {
    let error = "data: {\"error\": {\"message\": \"overloaded\"}}\n\n";
    for (kind, body, told) in [
        ("text/html; charset=utf-8", "<html></html>", "Check the address."),
        ("text/plain", "<html></html>", "broke off"),
        ("text/event-stream", "", "broke off"),
        ("text/event-stream", error, "The model failed: overloaded"),
    ] {
        let wordless = Reply::Refuse(200, vec![("Content-Type", kind.to_owned())], body.to_owned());
        let dead = FakeLlm::start(vec![wordless; 9]).await;
        let well = FakeLlm::start(vec![say("One."), say("Two.")]).await;
        let (breakers, chain) = (breakers(NEVER), [at("First", &dead), at("Second", &well)]);
        let cause = models(&breakers).ask(&chain, &question()).await.unwrap().instead_of.unwrap().cause;
        assert!(cause.contains(told), "{kind}: {cause}");
        models(&breakers).ask(&chain, &question()).await.unwrap();
        assert_eq!((dead.asked(), state(&breakers, &chain[0])), (1, ProviderState::Open), "{kind}");
    }
}

#[tokio::test]
async fn a_conversation_that_is_too_long_for_a_model_opens_no_breaker() {
    let said = r#"{"error": {"message": "Too long.", "code": "context_length_exceeded"}}"#;
    let told = r#"{"error": {"message": "This model's maximum context length is 4096 tokens."}}"#;
    let stream = vec![("Content-Type", "text/event-stream".to_owned())];
    for (status, headers, body) in [
        (200, stream.clone(), format!("data: {said}\n\n")),
        (200, stream, format!("data: {told}\n\n")),
        (500, Vec::new(), told.to_owned()),
    ] {
        let small = FakeLlm::start(vec![Reply::Refuse(status, headers, body.clone()); 9]).await;
        let (breakers, one) = (breakers(NEVER), at("Only", &small));
        let error = models(&breakers).ask(std::slice::from_ref(&one), &question()).await.err().unwrap();
        assert!(error.message().contains("oo long") || error.message().contains("context length"), "{error}");
        assert_eq!((small.asked(), state(&breakers, &one)), (1, ProviderState::Closed), "{body}");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_after_its_first_word_opens_nothing() {
    let broken = Reply::Answer(vec![Piece::Text("Half".to_owned()), Piece::Break]);
    let llm = FakeLlm::start(vec![broken]).await;
    let (breakers, one) = (breakers(NEVER), at("Only", &llm));
    let answer = models(&breakers).ask(std::slice::from_ref(&one), &question()).await.unwrap();
    assert_eq!(answer.text().await.unwrap_err().kind(), Kind::Upstream);
    assert_eq!(state(&breakers, &one), ProviderState::Closed);
}

#[tokio::test]
async fn those_who_wait_already_go_over_to_the_stand_in_once_one_has_waited_in_vain() {
    let dead = FakeLlm::start(vec![Reply::Silence; 9]).await;
    let well = FakeLlm::start((0..5).map(|_| say("Here.")).collect()).await;
    let (breakers, chain) = (breakers(NEVER), [at("First", &dead), at("Second", &well)]);
    let mut waiting = JoinSet::new();
    for asked in 1..=4 {
        let (models, chain) = (patient(&breakers), chain.clone());
        waiting.spawn(async move { models.ask(&chain, &question()).await.unwrap().instead_of.unwrap().cause });
        until("the question to arrive", || dead.asked() == asked).await;
    }
    hasty_models(&breakers).ask(&chain, &question()).await.unwrap();
    for cause in waiting.join_all().await {
        assert!(cause.contains("sent nothing"), "{cause}");
    }
    assert_eq!((dead.asked(), well.asked(), breakers.health(&chain[0]).failures), (5, 5, 1));
}

#[tokio::test]
async fn an_answer_under_way_is_waited_for_where_nobody_can_stand_in() {
    let gate = Arc::new(Notify::new());
    let slow = Reply::Answer(vec![Piece::Hold(Arc::clone(&gate)), Piece::Text("Late.".to_owned())]);
    let llm = FakeLlm::start(vec![slow, Reply::Silence]).await;
    let (breakers, chain) = (breakers(NEVER), [at("Only", &llm)]);
    let (models_of_one, chain_of_one) = (patient(&breakers), chain.clone());
    let waiting =
        tokio::spawn(async move { models_of_one.ask(&chain_of_one, &question()).await.unwrap().text().await });
    until("the question to arrive", || llm.asked() == 1).await;
    hasty_models(&breakers).ask(&chain, &question()).await.err().unwrap();
    assert_eq!(state(&breakers, &chain[0]), ProviderState::Open);
    gate.notify_one();
    assert_eq!(waiting.await.unwrap().unwrap().0, "Late.");
    assert_eq!(state(&breakers, &chain[0]), ProviderState::Closed);
}

#[tokio::test]
async fn a_refusal_takes_no_answer_from_those_who_wait() {
    let gate = Arc::new(Notify::new());
    let slow = Reply::Answer(vec![Piece::Hold(Arc::clone(&gate)), Piece::Text("Mine.".to_owned())]);
    let first = FakeLlm::start(vec![slow, refuse(401)]).await;
    let well = FakeLlm::start(vec![say("Here.")]).await;
    let (breakers, chain) = (breakers(NEVER), [at("First", &first), at("Second", &well)]);
    let (models_of_one, chain_of_one) = (patient(&breakers), chain.clone());
    let waiting =
        tokio::spawn(async move { models_of_one.ask(&chain_of_one, &question()).await.unwrap().text().await });
    until("the question to arrive", || first.asked() == 1).await;
    assert_eq!(models(&breakers).ask(&chain, &question()).await.unwrap().provider.name, "Second");
    gate.notify_one();
    assert_eq!(waiting.await.unwrap().unwrap().0, "Mine.");
}

#[tokio::test]
async fn a_provider_that_is_not_there_is_not_asked_twice_where_another_can_answer() {
    let well = FakeLlm::start(vec![say("One.")]).await;
    let (breakers, chain) = (breakers(NEVER), [provider("First", "127.0.0.1:1"), at("Second", &well)]);
    let answer = models(&breakers).ask(&chain, &question()).await.unwrap();
    assert!(answer.instead_of.unwrap().cause.contains("No connection to '127.0.0.1'"));
    assert_eq!(breakers.health(&chain[0]).failures, 1);
}

#[tokio::test]
async fn a_request_that_is_refused_for_what_it_says_opens_nothing() {
    let picky = FakeLlm::start(vec![refuse(400), refuse(400)]).await;
    let well = FakeLlm::start(vec![say("One."), say("Two.")]).await;
    let (breakers, chain) = (breakers(NEVER), [at("First", &picky), at("Second", &well)]);
    for _ in 0..2 {
        assert!(models(&breakers).ask(&chain, &question()).await.unwrap().instead_of.is_some());
    }
    assert_eq!((picky.asked(), state(&breakers, &chain[0])), (2, ProviderState::Closed));
}

#[tokio::test]
async fn a_probe_in_the_background_finds_that_a_provider_answers_again() {
    let script = vec![refuse(401), refuse(401), refuse(500), say("pong"), say("I am back.")];
    let first = FakeLlm::start(script).await;
    let well = FakeLlm::start(vec![say("For now.")]).await;
    let (breakers, chain) = (breakers(SOON), [at("First", &first), at("Second", &well)]);
    let stood_in = models(&breakers).ask(&chain, &question()).await.unwrap();
    assert_eq!(stood_in.provider.name, "Second");
    until("the breaker to close", || state(&breakers, &chain[0]) == ProviderState::Closed).await;
    assert_eq!((first.asked(), first.probed()), (1, 3));
    let answer = models(&breakers).ask(&chain, &question()).await.unwrap();
    assert_eq!((answer.provider.name.as_str(), answer.instead_of.clone()), ("First", None));
    assert_eq!(answer.text().await.unwrap().0, "I am back.");
}

#[tokio::test]
async fn a_breaker_is_half_open_while_its_provider_is_probed_and_others_pass_it_over() {
    let gate = Arc::new(Notify::new());
    let pong = Reply::Answer(vec![Piece::Hold(Arc::clone(&gate)), Piece::Text("pong".to_owned())]);
    let first = FakeLlm::start(vec![refuse(401), pong]).await;
    let well = FakeLlm::start(vec![say("One."), say("Two.")]).await;
    let (breakers, chain) = (breakers(SOON), [at("First", &first), at("Second", &well)]);
    models(&breakers).ask(&chain, &question()).await.unwrap();
    until("the probe to arrive", || first.probed() == 1).await;
    assert_eq!(state(&breakers, &chain[0]), ProviderState::HalfOpen);
    assert_eq!(models(&breakers).ask(&chain, &question()).await.unwrap().provider.name, "Second");
    assert_eq!((first.asked(), state(&breakers, &chain[0])), (1, ProviderState::HalfOpen));
    gate.notify_one();
    until("the breaker to close", || state(&breakers, &chain[0]) == ProviderState::Closed).await;
}

#[tokio::test]
async fn a_new_name_leaves_a_breaker_open_and_whatever_else_is_asked_closes_it() {
    let dead = FakeLlm::start(vec![refuse(401); 9]).await;
    let well = FakeLlm::start(vec![say("Here.")]).await;
    let (breakers, one) = (breakers(NEVER), at("First", &dead));
    models(&breakers).ask(std::slice::from_ref(&one), &question()).await.err().unwrap();
    let renamed = Provider { name: "Renamed".to_owned(), ..one.clone() };
    breakers.forget_unless_same(&renamed);
    assert_eq!(state(&breakers, &renamed), ProviderState::Open);
    let told = models(&breakers).ask(&[renamed, at("Second", &well)], &question()).await.unwrap().instead_of.unwrap();
    assert_eq!((told.provider.as_str(), dead.asked()), ("Renamed", 1));
    for changed in [
        Provider { model: "fake-2".to_owned(), ..one.clone() },
        Provider { base_url: at("First", &well).base_url, ..one.clone() },
        Provider { api_key: Some(Secret::new("sk-other")), ..one.clone() },
        Provider { enabled: false, ..one.clone() },
    ] {
        models(&breakers).ask(std::slice::from_ref(&one), &question()).await.err().unwrap();
        assert_eq!(state(&breakers, &one), ProviderState::Open);
        breakers.forget_unless_same(&changed);
        assert_eq!(state(&breakers, &one), ProviderState::Closed, "{changed:?}");
    }
}

#[tokio::test]
async fn a_provider_that_asks_for_a_rest_is_left_alone_until_it_is_over() {
    let wait = Reply::Refuse(429, vec![("Retry-After", "3600".to_owned())], "{}".to_owned());
    let busy = FakeLlm::start(vec![wait, say("never said")]).await;
    let other = FakeLlm::start(vec![refuse(401), say("pong")]).await;
    let breakers = breakers(SOON);
    let (busy_one, other_one) = (at("Busy", &busy), at("Other", &other));
    for _ in 0..3 {
        let error = models(&breakers).ask(std::slice::from_ref(&busy_one), &question()).await.err().unwrap();
        assert_eq!(error.kind(), Kind::Exhausted);
    }
    // The same pace lets another be probed meanwhile.
    models(&breakers).ask(std::slice::from_ref(&other_one), &question()).await.err().unwrap();
    until("the other to answer", || state(&breakers, &other_one) == ProviderState::Closed).await;
    assert_eq!((busy.asked(), busy.probed()), (1, 0));
}

#[tokio::test]
async fn the_only_provider_is_asked_again_at_once_where_nobody_has_to_wait_for_it() {
    let llm = FakeLlm::start(vec![refuse(401), refuse(500), say("Mended.")]).await;
    let (breakers, chain) = (breakers(NEVER), [at("Only", &llm)]);
    for asked in 1..=2 {
        models(&breakers).ask(&chain, &question()).await.err().unwrap();
        assert_eq!(llm.asked(), asked);
    }
    let answer = models(&breakers).ask(&chain, &question()).await.unwrap();
    assert_eq!((answer.instead_of.clone(), state(&breakers, &chain[0])), (None, ProviderState::Closed));
}

#[tokio::test]
async fn the_only_provider_that_hangs_is_not_waited_for_again_and_found_when_it_answers() {
    let llm = FakeLlm::start(vec![Reply::Silence, say("pong"), say("Mended.")]).await;
    let (breakers, chain) = (breakers(NEVER), [at("Only", &llm)]);
    let error = hasty_models(&breakers).ask(&chain, &question()).await.err().unwrap();
    assert!(error.message().starts_with("Only (fake-1 at 127.0.0.1:"), "{error}");
    let error = models(&breakers).ask(&chain, &question()).await.err().unwrap();
    assert!(error.message().contains("is asked again in the background"), "{error}");
    until("the probe that somebody's question brings forward", || state(&breakers, &chain[0]) == ProviderState::Closed)
        .await;
    assert_eq!((llm.asked(), llm.probed()), (1, 1));
    let answer = models(&breakers).ask(&chain, &question()).await.unwrap();
    assert_eq!(answer.text().await.unwrap().0, "Mended.");
}

#[tokio::test]
async fn a_provider_that_is_changed_is_asked_at_once_and_one_that_is_forgotten_is_not_probed() {
    let (dead, well) = (FakeLlm::start(vec![refuse(401)]).await, FakeLlm::start(vec![say("Right.")]).await);
    let (breakers, wrong) = (breakers(NEVER), at("First", &dead));
    models(&breakers).ask(std::slice::from_ref(&wrong), &question()).await.err().unwrap();
    let right = Provider { id: wrong.id, ..at("First", &well) };
    assert_eq!(state(&breakers, &right), ProviderState::Closed);
    let answer = models(&breakers).ask(std::slice::from_ref(&right), &question()).await.unwrap();
    assert_eq!(answer.text().await.unwrap().0, "Right.");
    breakers.forget(wrong.id);
    assert_eq!((state(&breakers, &wrong), dead.probed()), (ProviderState::Closed, 0));
}

#[tokio::test]
async fn a_test_by_hand_asks_for_an_answer_and_closes_the_breaker() {
    let llm = FakeLlm::start(vec![refuse(401), refuse(500), say("pong")]).await;
    let (breakers, one) = (breakers(NEVER), at("Only", &llm));
    models(&breakers).ask(std::slice::from_ref(&one), &question()).await.err().unwrap();
    // The list of models is there all the time: it alone proves nothing.
    assert!(models(&breakers).try_again(&one).await.is_err());
    assert_eq!(state(&breakers, &one), ProviderState::Open);
    models(&breakers).try_again(&one).await.unwrap();
    assert_eq!(state(&breakers, &one), ProviderState::Closed);
}
