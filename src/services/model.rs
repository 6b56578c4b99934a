//! Asking the connected model outside a turn: for a tool that needs one, within the person's budget.

mod choose;

use self::choose::Among;
use super::agents;
use satchel_app::App;
use satchel_engine::context::Context;
use satchel_model::{
    egress::{Origin, Part},
    error::{Error, Kind, Result},
    figure,
    llm::{ChatMessage, ChatRequest, Image, Provider, ProviderId, options::RequestOptions},
    price::{Spent, over_budget},
    user::UserId,
};
use satchel_net::llm::{
    answer::Patience,
    chain::{self, Models},
};
use satchel_store::{
    providers::Providers,
    turns::{OpenTurn, Turns},
    usage,
};

/// The model that a call asks in place of its caller's.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Its name: `provider:model`, or one that the provider has.
    pub model: Option<String>,
    /// The address of a provider that is connected.
    pub base_url: Option<String>,
}

/// A question to a model, asked in one go and without tools.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Instructions.
    pub system: String,
    /// The text they are about.
    pub text: String,
    /// Pictures beside it.
    pub images: Vec<Image>,
    /// The model, where it is not the caller's own.
    pub choice: Choice,
    /// Most tokens of the answer.
    pub most: u32,
}

/// The answer of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The text.
    pub text: String,
    /// The model that was asked, and what it took.
    pub spent: Spent,
}

/// Asks the caller's model: the one chosen in their conversation, else the first. What it costs is theirs.
///
/// # Errors
///
/// If no model is connected, or their tokens of the day are used up.
pub async fn ask_within(cx: &Context, question: Question) -> Result<Said> {
    let app = cx.app();
    let turn = match cx.call().topic {
        Some(topic) => Turns::new(&app.db).open_in(topic).await?,
        None => None,
    };
    let work = ask_in(app, cx.caller().user, turn, question);
    tokio::select! {
        biased;
        () = cx.cancelled().cancelled() => Err(Error::new(Kind::Cancelled, "The call was taken back.")),
        said = work => said,
    }
}

/// Asks the model of a turn's agent.
async fn ask_in(app: &App, user: UserId, turn: Option<OpenTurn>, question: Question) -> Result<Said> {
    let Some(turn) = turn else { return ask_for(app, user, None, question).await };
    require_budget(app, user).await?;
    let providers = providers(app)?;
    let chain = agents::chain(&providers, &turn.agent, turn.provider).await?;
    // An agent that names its models asks no others.
    let no_others = !turn.agent.content.models.is_empty();
    let known = if no_others { chain.clone() } else { providers.chain(None).await? };
    let chain = choose::chosen(Among { known, chain, no_others }, &question.choice)?;
    let said = ask_chain(app, Some(user), &chain, question).await?;
    Turns::new(&app.db).spend(&turn, said.spent.clone(), app.clock.now()).await?;
    Ok(said)
}

/// Asks a provider or the first for a person, within their tokens of the day. What it costs is theirs.
pub async fn ask_for(app: &App, user: UserId, provider: Option<ProviderId>, question: Question) -> Result<Said> {
    require_budget(app, user).await?;
    let said = ask(app, (provider, Some(user)), question).await?;
    usage::spend(&app.db, user, app.clock.now(), said.spent.clone()).await?;
    Ok(said)
}

/// Asks a provider for somebody, or those after it where it fails. Whoever asks counts what it costs.
pub async fn ask(
    app: &App,
    (provider, user): (Option<ProviderId>, Option<UserId>),
    question: Question,
) -> Result<Said> {
    let providers = providers(app)?;
    let (known, chain) = (providers.chain(None).await?, providers.chain(provider).await?);
    let chain = choose::chosen(Among { known, chain, no_others: false }, &question.choice)?;
    ask_chain(app, user, &chain, question).await
}

fn providers(app: &App) -> Result<Providers> {
    Providers::new(&app.db, &app.stores.vault, app.config.model.as_ref())
}

async fn ask_chain(app: &App, user: Option<UserId>, providers: &[Provider], question: Question) -> Result<Said> {
    if providers.is_empty() {
        return Err(chain::no_model());
    }
    let Question { system, text, images, most, .. } = question;
    let messages = vec![ChatMessage::User { text, images }];
    let request = ChatRequest { system, messages, options: RequestOptions::at_most(most), ..ChatRequest::default() };
    let answer = Models::new(
        app.net.gate.on_behalf(Origin::part(Part::Models, user)),
        Patience::default(),
        app.net.breakers.clone(),
    )
    .ask(providers, &request)
    .await?;
    let by = answer.provider.clone();
    let (text, usage) = answer.text().await?;
    match text.trim() {
        "" => Err(Error::upstream("The model answered nothing.")),
        text => Ok(Said { text: text.to_owned(), spent: Spent::new(&by, usage) }),
    }
}

/// Checks that a person has tokens of the day left.
///
/// # Errors
///
/// If they are used up.
pub async fn require_budget(app: &App, user: UserId) -> Result<()> {
    let Some(budget) = app.settings.get().chat.daily_token_budget else { return Ok(()) };
    let spent = usage::spent(&app.db, user, app.clock.now()).await?.total();
    if spent < budget {
        return Ok(());
    }
    Err(over_budget(format!(
        "Your {} tokens for today are used up. The next day begins at midnight UTC; an administrator can raise the limit.",
        figure::grouped(budget)
    )))
}
