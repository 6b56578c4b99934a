//! A model provider that takes requests and says nothing, before one that answers: what the first request of all waits,
//! and what those after it wait for the hanging one, as against the second alone; and how long five wait that come one
//! after the other while the first of them still does.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use satchel::{
    model::{
        egress::{Origin, Part},
        llm::{ChatMessage, ChatRequest, Provider, ProviderId, ProviderKind},
        provider::parameters::Parameters,
    },
    net::{
        gate::{Gate, Ways},
        llm::{
            answer::Patience,
            breaker::{Background, Breakers, Pace},
            chain::Models,
        },
        meter::Ledger,
    },
};
use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    model,
    report::{Report, Target, median},
};

/// The patience the server has is 180 s: a shorter one is measured, in the same code.
const PATIENCE: Duration = Duration::from_secs(2);
const ASKED: usize = 50;
/// Askers who come within one patience.
const STAGGERED: u32 = 5;

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let hangs = std::net::TcpListener::bind("127.0.0.1:0")?;
    let answers = model::serve(1)?;
    let chain = [provider("hangs", hangs.local_addr()?.port())?, provider("answers", answers.port())?];
    let models = models();
    let (_, second) = chain.split_first().context("a chain of two")?;
    let first = timed(&models, &chain).await? / PATIENCE.as_secs_f64();
    report.figure("the first answer, patiences waited", first, Target::AtMost(1.2));
    let (mut both, mut alone) = (Vec::new(), Vec::new());
    for _ in 0..ASKED {
        both.push(timed(&models, &chain).await? * 1e3);
        alone.push(timed(&models, second).await? * 1e3);
    }
    let more = (median(both) - median(alone)).max(0.0);
    report.figure("each later answer, ms more than without it", more, Target::AtMost(1.0));
    let all = staggered(&chain).await? / PATIENCE.as_secs_f64();
    report.figure("five askers in turn, patiences to the last answer", all, Target::AtMost(1.2));
    drop(hangs);
    Ok(())
}

/// Returns a client that asks models, and knows of no failure yet.
fn models() -> Models {
    let background =
        Background { runtime: Handle::current(), tracker: TaskTracker::new(), shutdown: CancellationToken::new() };
    let http = Gate::new(Ways::default(), Ledger::none()).on_behalf(Origin::part(Part::Models, None));
    let patience = Patience { first: PATIENCE, stall: PATIENCE, whole: PATIENCE };
    Models::new(http, patience, Breakers::new(background, Pace::default()))
}

/// Seconds from the first of some questions, which come at equal distances within one patience, to the last answer.
async fn staggered(chain: &[Provider]) -> Result<f64> {
    let (models, began) = (&models(), Instant::now());
    let askers = (0..STAGGERED).map(async |at| {
        tokio::time::sleep(PATIENCE * at / STAGGERED).await;
        timed(models, chain).await
    });
    try_join_all(askers).await?;
    Ok(began.elapsed().as_secs_f64())
}

/// Seconds until an answer begins.
async fn timed(models: &Models, chain: &[Provider]) -> Result<f64> {
    let messages = vec![ChatMessage::User { text: "Hello?".to_owned(), images: Vec::new() }];
    let began = Instant::now();
    models.ask(chain, &ChatRequest { messages, ..ChatRequest::default() }).await.context("no answer")?;
    Ok(began.elapsed().as_secs_f64())
}

fn provider(name: &str, port: u16) -> Result<Provider> {
    Ok(Provider {
        id: ProviderId::new(),
        kind: ProviderKind::Openai,
        name: name.to_owned(),
        base_url: format!("http://127.0.0.1:{port}/v1").parse()?,
        model: "m".to_owned(),
        api_key: None,
        priority: 0,
        enabled: true,
        context_tokens: None,
        parameters: Parameters::default(),
        from_environment: false,
    })
}
