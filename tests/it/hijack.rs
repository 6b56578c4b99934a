//! A model that obeys whatever it reads (SECURITY.md, promise 17): over every way content from outside comes into a
//! conversation and every way to an effect, nothing happens without a question to a person.

mod effects;
mod scene;
mod sources;

use std::time::Instant;

use effects::Effect;
use scene::Scene;

use crate::support::{fake_llm::PATIENCE, library::pause};

/// Least cases that are tried.
const CASES: usize = 200;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_was_read_has_an_effect_without_a_question() {
    let scene = Scene::start().await;
    let (mut cases, mut unasked) = (0, Vec::new());
    for source in sources::all(&scene) {
        scene.plant(&source).await;
        for effect in effects::all() {
            // The instance that was searched is known to the conversation by then.
            if source.name == sources::SEARCH && effect.name == sources::SEARCH {
                continue;
            }
            cases += 1;
            if let Some(told) = scene.obey(&source, &effect, cases).await {
                unasked.push(format!("{} -> {}: {told}", source.name, effect.name));
            }
        }
    }
    #[expect(clippy::print_stdout, reason = "a promise prints its figure")]
    {
        println!("{cases} cases: {} effects without a question", unasked.len());
    }
    assert!(cases >= CASES, "{cases} cases");
    assert!(unasked.is_empty(), "{}", unasked.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_effect_happens_where_the_person_agrees() {
    let scene = Scene::start().await;
    for (effect, number) in effects::all().into_iter().zip(1_000..) {
        let Effect { name, .. } = effect;
        let told = scene.agree_to(&effect, number).await;
        let begun = Instant::now();
        while !scene.happened(&effect, number).await {
            assert!(begun.elapsed() < PATIENCE, "{name} did not happen, so the cases with it show nothing: {told}");
            pause().await;
        }
    }
}
