//! Builds the request for the next answer: instructions, memories, tools, and as much of the conversation as fits.

use std::collections::BTreeSet;

use serde_json::json;

use super::{compact, exposure, history, prompt, situation::situation, turn::Run};
use satchel_model::{
    conversation::{ContextBill, Message, Role},
    error::{Error, Kind, Result},
    llm::{ChatRequest, Provider, estimate_tokens, options::RequestOptions},
    memory::Memory,
    price::Spent,
};
use satchel_services::{remembering::Remembering, skills::find::READER};
use satchel_store::{memory::Reach, messages::Placed, promotions, turns::Summary};

/// Most tokens kept free for the answer, where its provider has no limit for it.
const ANSWER: u64 = 4_096;

/// The code by which programs know that a request does not fit into a model.
const TOO_LONG: &str = "context_length_exceeded";

/// The tokens kept free for an answer: as many as it may have, and half of all at most, for some servers refuse a request
/// that leaves less.
fn kept_free(limit: u64, longest: Option<u32>) -> u64 {
    longest.map_or((limit / 4).min(ANSWER), |longest| u64::from(longest).min(limit / 2))
}

/// A request, and how long it is.
pub(super) struct Asked {
    pub(super) request: ChatRequest,
    /// About how many tokens it is.
    pub(super) tokens: u64,
    /// Names of tools in it that words from outside describe.
    pub(super) foreign: BTreeSet<String>,
}

impl Run {
    /// The request for what comes next. Tells the streams what it is made of.
    pub(super) async fn request(&self, providers: &[Provider], summary: Summary, placed: Vec<Placed>) -> Result<Asked> {
        let settings = self.app().settings.get();
        let models = self.shared().models(Some(self.caller().user));
        let expected = models.expected(providers);
        let fits = expected.and_then(|provider| provider.context_tokens);
        let limit = u64::from(fits.unwrap_or(settings.chat.context_tokens));
        let parameters = expected.map(|provider| &provider.parameters);
        let room = limit.saturating_sub(kept_free(limit, parameters.and_then(|given| given.max_tokens)));
        let standing = parameters.and_then(|given| given.instructions.as_deref()).map_or(0, estimate_tokens);
        let promoted = self.promoted().await?;
        self.told_the_finder(&placed);
        let registry = self.shared().invoker.registry();
        let situation = situation(self.caller(), expected.map(|provider| provider.name.as_str()));
        let policy = self.shared().invoker.policy(&situation);
        let exposure = self.turn.agent.content.exposure;
        let viewer = exposure::Viewer { caller: self.caller(), settings: &settings, policy: &policy, exposure };
        let shown = exposure::pick(&registry, viewer, &promoted, limit / 3).with_own(self.turn.brief.as_deref());
        let memories = self.remembered(&placed).await?;
        let system = prompt::system(&self.caller().username, self.app().clock.now(), &self.turn.agent);
        let system = if self.turn.depth() > 0 { format!("{system}{}", prompt::SESSION) } else { system };
        let system = format!("{system}{}", prompt::program(self.turn.brief.as_deref()));
        let skills = self.skills().await?;
        let workspace = self.workspace().await?;
        let system = format!("{system}{}", skills.known);
        let followed = format!("{workspace}{}", skills.followed);
        let remembered = prompt::memories(&memories);
        let passages = self.known(&placed).await?;
        let known = prompt::knowledge(&passages);
        let told = estimate_tokens(&system) + estimate_tokens(&followed) + standing;
        let fixed = told + estimate_tokens(&remembered) + estimate_tokens(&known) + shown.tokens;
        let (summary, placed) = self.fit(providers, summary, placed, room.saturating_sub(fixed)).await?;
        let earlier = prompt::earlier(&summary.text);
        let messages: Vec<Message> = placed.into_iter().map(history::with_left_out).collect();
        let mut messages = history::tell(&messages);
        let conversation = messages.iter().map(history::tokens).sum::<u64>() + estimate_tokens(&earlier);
        let excess = (fixed + conversation).saturating_sub(room);
        if excess > 0 && !compact::shrink(&mut messages, excess) {
            return Err(too_long(limit));
        }
        let bill = ContextBill {
            system: told,
            tools: shown.tokens,
            memory: estimate_tokens(&remembered),
            knowledge: estimate_tokens(&known),
            conversation: conversation.saturating_sub(excess),
            limit,
            tools_count: shown.tools.len(),
            tools_total: shown.total,
            all_tools_tokens: shown.all_tokens,
        };
        self.shared().turns.set_context(self.turn.claim(), bill).await?;
        if self.turn.model_calls == 0 && !memories.is_empty() {
            self.log.emit("memory", &json!({ "memories": memories }));
        }
        if self.turn.model_calls == 0 && !passages.is_empty() {
            self.log.emit("knowledge", &json!({ "passages": passages }));
        }
        self.log.emit("context", &bill);
        let background = format!("{followed}{remembered}{known}{earlier}");
        let options = self.options();
        let request =
            ChatRequest { system, background, for_person: true, messages, tools: shown.tools, options, raw: None };
        let tokens = bill.system + bill.tools + bill.memory + bill.knowledge + bill.conversation;
        Ok(Asked { request, tokens, foreign: shown.foreign })
    }

    /// Returns the names of the tools a model is shown that words from outside describe.
    pub(super) async fn foreign_words(&self, provider: Option<&str>) -> Result<BTreeSet<String>> {
        let promoted = self.promoted().await?;
        let (settings, registry) = (self.app().settings.get(), self.shared().invoker.registry());
        let policy = self.shared().invoker.policy(&situation(self.caller(), provider));
        let exposure = self.turn.agent.content.exposure;
        let viewer = exposure::Viewer { caller: self.caller(), settings: &settings, policy: &policy, exposure };
        Ok(exposure::pick(&registry, viewer, &promoted, u64::MAX).with_own(self.turn.brief.as_deref()).foreign)
    }

    /// The options of the next request. A call that is demanded is demanded once.
    fn options(&self) -> RequestOptions {
        let mut options = self.turn.brief.as_deref().map(|brief| brief.options.clone()).unwrap_or_default();
        if self.turn.model_calls > 0 {
            options.tool_choice = options.tool_choice.filter(|choice| !choice.is_forced());
        }
        options
    }

    /// Returns the tools that were found in the conversation, and what reads the skills that the agent has.
    async fn promoted(&self) -> Result<BTreeSet<String>> {
        let mut promoted: BTreeSet<String> =
            promotions::promoted(&self.app().db, self.conversation()).await?.into_iter().collect();
        if !self.turn.agent.content.skills.is_empty() {
            promoted.insert(READER.to_owned());
        }
        Ok(promoted)
    }

    /// Makes what the person asks for the need that tools are found and learned by.
    fn told_the_finder(&self, placed: &[Placed]) {
        let request = placed.iter().rev().map(|placed| &placed.message).find(|message| message.role == Role::User);
        if let Some(request) = request.filter(|_| self.turn.model_calls == 0) {
            self.shared().learner.requested(self.conversation(), &request.text);
        }
    }

    /// The person's memories that have to do with the question. One with content from outside in it that nobody has
    /// vouched for comes only where such content is in the conversation already: by itself it would taint every new
    /// one. `recall_memories` still finds it.
    async fn remembered(&self, placed: &[Placed]) -> Result<Vec<Memory>> {
        let question = placed.iter().rev().map(|placed| &placed.message).find(|message| message.role == Role::User);
        // Sessions remember nothing of the person: they are told what they need.
        let Some(question) = question.filter(|_| self.turn.depth() == 0) else { return Ok(Vec::new()) };
        let memory = Remembering::new(self.app(), self.caller().user);
        let conversation = self.shared().conversations.get(self.caller().user, self.conversation()).await?;
        let reach = match conversation.tainted {
            true => Reach::Outside,
            false if self.caller().is_person() => Reach::Own,
            false => Reach::Programs,
        };
        let found = memory.relevant(&question.text, prompt::MEMORIES, reach).await?;
        if self.turn.model_calls == 0 {
            memory.recalled_soon(&found);
        }
        Ok(found)
    }

    /// Shortens what is older until the rest takes at most `room` tokens, if anything is.
    async fn fit(
        &self,
        providers: &[Provider],
        summary: Summary,
        placed: Vec<Placed>,
        room: u64,
    ) -> Result<(Summary, Vec<Placed>)> {
        let messages: Vec<Message> = placed.iter().map(|placed| placed.message.clone()).collect();
        if compact::tokens(&messages) + estimate_tokens(&summary.text) <= room {
            return Ok((summary, placed));
        }
        let Some(cut) = compact::cut(&messages, room / 2) else { return Ok((summary, placed)) };
        let (older, _) = messages.split_at(cut.older);
        let upto = placed.get(cut.older.saturating_sub(1)).map_or(summary.upto, |placed| placed.seq);
        let text = match self.shorten(providers, &summary.text, older, room).await {
            Ok(text) => text,
            Err(error) if self.ensure_going().is_err() => return Err(error),
            Err(error) => {
                tracing::warn!(?error, "a conversation could not be shortened and is cut");
                compact::note(&summary.text, older)
            }
        };
        let summary = Summary { text, upto };
        self.shared().turns.summarise(self.turn.claim(), summary.clone()).await?;
        Ok((summary, placed.into_iter().skip(cut.older).collect()))
    }

    async fn shorten(&self, providers: &[Provider], earlier: &str, older: &[Message], room: u64) -> Result<String> {
        let request = compact::request(earlier, older, room);
        let models = self.shared().models(Some(self.caller().user));
        let answer = self.unless_stopped(models.ask(providers, &request)).await?;
        let by = answer.provider.clone();
        let (text, usage) = self.unless_stopped(answer.text()).await?;
        self.shared().turns.spend(&self.turn, Spent::new(&by, usage), self.app().clock.now()).await?;
        let text = text.trim();
        if text.is_empty() { Err(Error::upstream("The model gave no summary.")) } else { Ok(text.to_owned()) }
    }
}

fn too_long(limit: u64) -> Error {
    let told = format!(
        "This does not fit into the model's {limit} tokens, even shortened. Send less at once, show fewer tools, or choose a \
         model with more room."
    );
    Error::new(Kind::Exhausted, told).with_details(json!({"code": TOO_LONG}))
}
