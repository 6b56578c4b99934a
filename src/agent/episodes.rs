//! Episodes: what a conversation leaves behind once it is over. Put together from what the person asked, which tools ran
//! and how it ended; what the model or a tool said is left out, since it may be wrong or hostile and would be read again.

use std::{collections::BTreeMap, time::Duration};

use super::chat::Agent;
use satchel_model::{
    conversation::{ConversationId, Message, Role, StepState},
    error::Result,
    memory::{Layer, NewMemory},
    text::{clip, one_line},
    time::Time,
    user::UserId,
};
use satchel_services::remembering::Meaning;
use satchel_store::memory::Due;

/// The time without events after which a conversation counts as over.
const REST: Duration = Duration::from_secs(15 * 60);
/// The interval at which that is looked at.
const LOOK: Duration = Duration::from_secs(60);
/// Most questions an episode quotes after the first.
const QUOTED: usize = 4;

impl Agent {
    /// Writes the episodes of conversations that rest, from now until the process ends.
    pub fn keep_episodes(&self) {
        let this = self.clone();
        let work = async move {
            let mut ticks = tokio::time::interval(LOOK);
            loop {
                tokio::select! {
                    () = this.shared.app.lifecycle.shutdown.cancelled() => return,
                    _ = ticks.tick() => {}
                }
                if let Err(error) = this.tell_resting().await {
                    tracing::warn!(?error, "episodes could not be written");
                }
            }
        };
        drop(self.shared.app.lifecycle.tracker.spawn_on(work, &self.shared.app.lifecycle.runtime));
    }

    /// Writes the episodes of the conversations in which nothing has happened for a while, and says how many.
    pub async fn tell_resting(&self) -> Result<usize> {
        let app = &self.shared.app;
        let rest = i64::try_from(REST.as_millis()).unwrap_or(i64::MAX);
        let before = Time::from_millis(app.clock.now().millis().saturating_sub(rest));
        self.tell(app.stores.memories.episodes().resting(before).await?, false).await
    }

    /// Writes the episodes of what a person has left for this conversation. The turn goes on where that fails. It waits for
    /// this, so the meaning of an episode is worked out before that of other passages.
    pub(super) async fn tell_left(&self, user: UserId, current: ConversationId) {
        let told =
            async { self.tell(self.shared.app.stores.memories.episodes().left(user, current).await?, true).await };
        if let Err(error) = told.await {
            tracing::warn!(?error, "episodes could not be written");
        }
    }

    /// Reads what the episode of a conversation will mean, while its answer is being read: who begins the next conversation
    /// does not wait for that.
    pub(super) async fn expect_episode(&self, user: UserId, conversation: ConversationId) {
        let app = &self.shared.app;
        let due = app.stores.memories.episodes().one(user, conversation).await;
        let gist = due.ok().flatten().and_then(|due| gist(&due.messages));
        if let Some(gist) = gist.filter(|_| app.settings.get().memory.episodes) {
            Meaning::new(app).passage_at_once(&gist).await;
        }
    }

    async fn tell(&self, due: Vec<Due>, at_once: bool) -> Result<usize> {
        let app = &self.shared.app;
        let episodes = app.stores.memories.episodes();
        let mut written = 0;
        for one in due {
            let Some(gist) = gist(&one.messages).filter(|_| app.settings.get().memory.episodes) else {
                episodes.pass_over(&one).await?;
                continue;
            };
            let meaning = Meaning::new(app);
            let vector = match at_once {
                true => meaning.passage_at_once(&gist).await,
                false => meaning.passages(vec![gist.clone()]).await.pop(),
            };
            let episode = NewMemory::new(&gist, Layer::Episode)?.with_vector(vector);
            episodes.write(&one, episode, app.clock.now()).await?;
            written += 1;
        }
        Ok(written)
    }
}

/// Returns what was asked, with which tools, and how it ended. `None` if nobody asked anything.
fn gist(messages: &[Message]) -> Option<String> {
    let mut questions = messages.iter().filter(|message| message.role == Role::User).map(asked);
    let first = questions.next()?;
    let rest: Vec<String> = questions.collect();
    let mut text = format!("Asked: \"{}\"", quoted(&first, 200));
    for question in rest.iter().take(QUOTED) {
        text.push_str(&format!("; \"{}\"", quoted(question, 90)));
    }
    if rest.len() > QUOTED {
        text.push_str(&format!("; and {} more", rest.len() - QUOTED));
    }
    text.push('.');
    let tools = tools(messages);
    if !tools.is_empty() {
        text.push_str(&format!(" Tools: {tools}."));
    }
    text.push_str(&format!(" Outcome: {}.", outcome(messages)));
    Some(text)
}

fn asked(message: &Message) -> String {
    match message.text.trim() {
        "" => {
            format!("sent {}", message.attachments.iter().map(|file| file.name.as_str()).collect::<Vec<_>>().join(", "))
        }
        text => text.to_owned(),
    }
}

fn tools(messages: &[Message]) -> String {
    let mut used: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let steps = messages.iter().flat_map(|message| &message.steps);
    for step in steps.filter(|step| step.state != StepState::Skipped) {
        let name = step.tool.split_once(':').map_or(step.tool.as_str(), |(_, name)| name);
        let (times, failed) = used.entry(name).or_default();
        *times += 1;
        *failed += usize::from(step.state == StepState::Done && step.success == Some(false));
    }
    let shown = used.into_iter().map(|(name, (times, failed))| match (times, failed) {
        (1, 0) => name.to_owned(),
        (1, _) => format!("{name} (failed)"),
        (times, 0) => format!("{name} ({times} times)"),
        (times, failed) => format!("{name} ({times} times, {failed} failed)"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn outcome(messages: &[Message]) -> &'static str {
    match messages.last() {
        Some(last) if last.role == Role::User => "no answer came",
        Some(last) if last.error.as_deref() == Some("Stopped.") => "stopped",
        Some(last) if last.error.is_some() => "the answer broke off",
        Some(last) if !last.steps.is_empty() => "ended in the middle of its calls",
        _ => "answered",
    }
}

/// The beginning of a text, on one line that fits between quotation marks.
fn quoted(text: &str, most: usize) -> String {
    clip(&one_line(text).replace('"', "'"), most).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::conversation::{MessageId, TurnId};

    fn message(role: Role, text: &str, error: Option<&str>) -> Message {
        Message {
            id: MessageId::new(),
            turn_id: TurnId::new(),
            role,
            text: text.to_owned(),
            attachments: Vec::new(),
            citations: Vec::new(),
            steps: Vec::new(),
            created_at: Time::from_millis(0),
            model: None,
            provider: None,
            instead_of: None,
            former: 0,
            agent: None,
            usage: None,
            error: error.map(str::to_owned),
        }
    }

    #[test]
    fn a_gist_tells_what_was_asked_and_how_it_ended() {
        let talk = [
            message(Role::User, "Which invoices\nare \"open\"?", None),
            message(Role::Assistant, "Three of them.", None),
            message(Role::User, "And late?", None),
            message(Role::Assistant, "One", Some("Stopped.")),
        ];
        let wanted = "Asked: \"Which invoices are 'open'?\"; \"And late?\". Outcome: stopped.";
        assert_eq!(gist(&talk).as_deref(), Some(wanted));
        assert_eq!(gist(&talk[..2]).as_deref(), Some("Asked: \"Which invoices are 'open'?\". Outcome: answered."));
        assert_eq!(gist(&[]), None);
    }

    #[test]
    fn a_long_talk_stays_short() {
        let talk: Vec<Message> = (0..99).map(|_| message(Role::User, &"word ".repeat(400), None)).collect();
        let gist = gist(&talk).unwrap();
        assert!(gist.chars().count() < 700 && gist.contains("; and 94 more."), "{gist}");
    }
}
