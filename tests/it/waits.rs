//! Searches for tools wait for nothing that is being embedded: here the model's file is a pipe nobody writes to.

#![expect(clippy::disallowed_methods, reason = "writes a model's file")]

use std::{
    path::Path,
    time::{Duration, Instant},
};

use satchel::{
    engine::tool::Tool,
    index::embed::{
        embedder::Embedder,
        model::{File, Model},
        workers::Limits,
    },
    model::{
        caller::Caller,
        error::Kind,
        learning::Ended,
        spec::{Risk, Source, Spec},
    },
    services::find::{
        catalogue::Catalogue,
        finder::{Asker, Finder, Found, Patience},
    },
    store::vectors,
};
use tokio::time::timeout;

use crate::support::{
    app::TestApp,
    library::pause,
    tools::{self, Gate},
};

/// Far longer than any answer that waits for nothing takes.
const FOR_EVER: Duration = Duration::from_secs(60);

/// From now on the embedder reads its tokenizer from there.
fn read_tokenizer_at(app: &TestApp, path: &Path) {
    let model = Model { tokenizer: File::At(path.to_owned()), ..Model::embedded().unwrap() };
    let limits = Limits { threads: 1, ..Limits::default() };
    app.satchel.app.search.embedder.become_like(&Embedder::new(Some(model), limits));
}

/// From now on nothing is embedded: whatever is waits for ever.
fn hold_embedder(app: &TestApp) {
    let pipe = app.dir.path().join("tokenizer.json");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        pipe.as_path(),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    read_tokenizer_at(app, &pipe);
}

/// Returns the results somebody gets among the tools there are now.
async fn find(app: &TestApp, finder: &Finder, caller: &Caller, need: &str) -> Found {
    let (registry, settings) = (app.satchel.invoker.registry(), app.satchel.app.settings.get());
    let policy = &app.satchel.invoker.policy(&Default::default());
    let asker = Asker { registry: &registry, caller, settings: &settings, policy };
    timeout(FOR_EVER, finder.find(asker, need, 3)).await.expect("it waits").unwrap()
}

/// Notes a need that another model has embedded.
async fn learn(app: &TestApp, caller: &Caller) {
    let learned = Ended {
        user: caller.user,
        topic: app.conversation(caller).await,
        need: "add up what the parcels weigh".to_owned(),
        vector: Some(("another model".to_owned(), vec![1.0])),
        tool: "builtin:calculator".to_owned(),
        success: true,
        at: app.satchel.app.clock.now(),
    };
    app.satchel.services.finder.learner().stored().note(learned).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_waits_neither_for_tools_nor_for_what_was_learned_to_be_embedded() {
    let app = TestApp::start().await;
    hold_embedder(&app);
    let caller = app.caller(&["*"]).await;
    learn(&app, &caller).await;
    // Whatever it did wait for, it would for ever.
    let patience = Patience { reading: Duration::MAX, need: Duration::MAX, trial: Duration::MAX };
    let finder = app.satchel.services.finder.with_patience(patience);
    for _ in 0..2 {
        let found = find(&app, &finder, &caller, "calculator").await;
        assert_eq!(found.hits[0].name, "calculator");
        assert!(found.note.is_some_and(|note| note.contains("still being embedded")), "{:?}", found.note);
    }
    let (_, whole) = timeout(FOR_EVER, finder.learner().past()).await.expect("it waits").unwrap();
    assert!(!whole, "what another model had embedded does not count yet");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_goes_by_words_where_its_need_is_not_embedded_in_time() {
    let app = TestApp::start().await;
    hold_embedder(&app);
    let model = app.satchel.app.search.embedder.model().unwrap();
    let texts = Catalogue::of_registry(&app.satchel.invoker.registry()).texts();
    let known = texts.iter().position(|text| text == "calculator").unwrap() - 1;
    let hash = vectors::hash(&texts[known]);
    let vector = vec![1.0; model.dimensions];
    app.satchel.app.db.write(move |c| vectors::put(c, &model.id, &hash, &vector)).await.unwrap();
    let caller = app.caller(&["*"]).await;
    let patience = Patience { reading: Duration::MAX, need: Duration::ZERO, trial: Duration::MAX };
    let finder = app.satchel.services.finder.with_patience(patience);
    let found = find(&app, &finder, &caller, "calculator").await;
    assert_eq!((found.hits[0].name.as_str(), found.hits[0].why.cosine), ("calculator", None));
    assert!(found.note.is_some_and(|note| note.contains("by their words alone")), "{:?}", found.note);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_registry_keeps_the_meaning_that_is_known() {
    let app = TestApp::start().await;
    let caller = app.caller(&["*"]).await;
    let patience = Patience { reading: Duration::MAX, need: Duration::MAX, trial: Duration::MAX };
    let finder = app.satchel.services.finder.with_patience(patience);
    let begun = Instant::now();
    while find(&app, &finder, &caller, "add up some numbers").await.hits.iter().all(|hit| hit.why.cosine.is_none()) {
        assert!(begun.elapsed() < 10 * FOR_EVER, "nothing is embedded");
        pause().await;
    }
    // Nothing can be read again.
    app.satchel.app.db.write(|tx| tx.run("DELETE FROM vectors", ())).await.unwrap();
    let like = tools::held(Risk::Read, &Gate::default());
    let spec = Spec { name: "another".to_owned(), source: Source::Catalog, ..like.spec().clone() };
    let another = Tool::of_spec(spec, |_, _| std::future::pending()).unwrap();
    assert!(app.satchel.invoker.offer(Source::Catalog, vec![another]).is_empty());
    let finder = finder.with_patience(Patience { reading: Duration::ZERO, ..patience });
    let found = find(&app, &finder, &caller, "add up some numbers").await;
    assert!(found.hits.iter().any(|hit| hit.why.cosine.is_some()), "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_learned_is_embedded_by_a_later_search_where_that_failed() {
    let app = TestApp::start().await;
    let path = app.dir.path().join("tokenizer.json");
    std::fs::write(&path, "no tokenizer").unwrap();
    read_tokenizer_at(&app, &path);
    let caller = app.caller(&["*"]).await;
    learn(&app, &caller).await;
    let learner = app.satchel.services.finder.learner();
    assert!(!learner.past().await.unwrap().1);
    app.satchel.app.search.embedder.passages(vec!["a text".to_owned()]).await.unwrap_err();
    std::fs::write(&path, Model::embedded().unwrap().tokenizer.bytes().unwrap()).unwrap();
    let begun = Instant::now();
    while !learner.past().await.unwrap().1 {
        assert!(begun.elapsed() < FOR_EVER, "it is not tried again");
        pause().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_of_past_requests_that_takes_too_long_is_ended_and_says_so() {
    let app = TestApp::start().await;
    let caller = app.caller(&["*"]).await;
    learn(&app, &caller).await;
    let (registry, settings) = (app.satchel.invoker.registry(), app.satchel.app.settings.get());
    let policy = &app.satchel.invoker.policy(&Default::default());
    let asker = Asker { registry: &registry, caller: &caller, settings: &settings, policy };
    let patience = Patience { reading: Duration::MAX, need: Duration::MAX, trial: Duration::MAX };
    let finder = app.satchel.services.finder.with_patience(patience);
    let begun = Instant::now();
    while finder.try_out(asker).await.unwrap().summary.queries == 0 {
        assert!(begun.elapsed() < 10 * FOR_EVER, "nothing is tried");
        pause().await;
    }
    let finder = finder.with_patience(Patience { trial: Duration::ZERO, ..patience });
    let error = finder.try_out(asker).await.unwrap_err();
    assert!(error.kind() == Kind::Timeout && error.message().contains("Try again later"), "{error}");
}
