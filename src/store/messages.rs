//! Messages and the steps in them, as rows.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    attachments, passages,
    sql::{Row, Tx, params},
};
use satchel_model::{
    conversation::{ConversationId, Message, MessageId, Role, Step, TurnId},
    error::{Error, Result},
    llm::Usage,
};

/// A message and its place in the conversation.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Grows with each message.
    pub seq: i64,
    /// The message.
    pub message: Message,
    /// Names of its attachments that were left out for want of room.
    pub left_out: Vec<String>,
}

/// Messages of a conversation after one number and up to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    /// The number of the last message before them.
    pub(super) after: i64,
    /// The number that the last of them has at most.
    pub(super) upto: i64,
}

impl Span {
    /// Every message.
    pub(super) const ALL: Self = Self::after(0);

    /// Every message after this number.
    pub(super) const fn after(after: i64) -> Self {
        Self { after, upto: i64::MAX }
    }
}

/// These messages of a conversation, in order, with their steps and the names of their attachments.
pub(super) fn list(tx: &Tx, conversation: ConversationId, span: Span) -> Result<Vec<Placed>> {
    let place = (conversation.to_string(), span.after, span.upto);
    let mut steps: HashMap<String, Vec<Step>> = HashMap::new();
    let sql = "SELECT s.call_id, s.tool, s.asked_as, s.arguments, s.risk, s.state, s.success, s.output, s.model_text,
                      s.duration_ms, s.started_at, s.ticket, s.provider_id, s.malformed, s.message, s.asked_arguments,
                      s.approved_by, s.edited
               FROM steps s JOIN messages m ON m.id = s.message
               WHERE m.conversation = ?1 AND m.seq > ?2 AND m.seq <= ?3 ORDER BY m.seq, s.position";
    for (message, step) in tx.all(sql, &place, |row| Ok((row.get("message")?, step(row)?)))? {
        steps.entry(message).or_default().push(step);
    }
    let mut cited = passages::cited(tx, conversation, span)?;
    let mut attached = attachments::names(tx, conversation, span)?;
    let sql = "SELECT seq, id, turn, role, text, created_at, model, input_tokens, output_tokens, error,
                      provider, instead_of, agent
               FROM messages WHERE conversation = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq";
    let mut placed = tx.all(sql, place, message)?;
    for Placed { message, .. } in &mut placed {
        let id = message.id.to_string();
        message.steps = steps.remove(&id).unwrap_or_default();
        message.attachments = attached.remove(&id).unwrap_or_default();
        message.citations = cited.remove(&id).unwrap_or_default();
    }
    Ok(placed)
}

/// Bytes of a conversation's messages and calls, as they are stored: looks at no text.
pub(super) fn weight(tx: &Tx, conversation: ConversationId) -> Result<usize> {
    let sql = format!(
        "SELECT CAST(coalesce(sum({TEXTS} + {ATTACHED}), 0) AS BIGINT) FROM messages m WHERE m.conversation = ?1"
    );
    let bytes: i64 = tx.one(&sql, [conversation.to_string()])?;
    usize::try_from(bytes).map_err(Error::internal)
}

/// Bytes of the message `m`, its calls and what it cites.
pub(super) const TEXTS: &str = "(octet_length(m.text)
    + (SELECT coalesce(sum(octet_length(s.arguments) + coalesce(octet_length(s.asked_arguments), 0)
                           + coalesce(octet_length(s.output), 0) + coalesce(octet_length(s.model_text), 0)), 0)
       FROM steps s WHERE s.message = m.id)
    + (SELECT coalesce(sum(octet_length(p.text)), 0)
       FROM citations i JOIN passages p ON p.conversation = m.conversation AND p.number = i.number
       WHERE i.message = m.id))";

/// Bytes of what is attached to the message `m`.
pub(super) const ATTACHED: &str = "(SELECT coalesce(sum(octet_length(b.data)), 0)
    FROM message_attachments a JOIN attachments b ON b.id = a.attachment WHERE a.message = m.id)";

fn message(row: &Row<'_>) -> Result<Placed> {
    let usage: (Option<i64>, Option<i64>) = (row.get("input_tokens")?, row.get("output_tokens")?);
    let role: String = row.get("role")?;
    let message = Message {
        id: row.parsed("id")?,
        turn_id: row.parsed("turn")?,
        role: if role == Role::User.as_str() { Role::User } else { Role::Assistant },
        text: row.get("text")?,
        attachments: Vec::new(),
        steps: Vec::new(),
        citations: Vec::new(),
        created_at: row.time("created_at")?,
        model: row.get("model")?,
        usage: match usage {
            (Some(input), Some(output)) => Some(Usage::new(input.unsigned_abs(), output.unsigned_abs())),
            _ => None,
        },
        error: row.get("error")?,
        provider: row.get("provider")?,
        instead_of: row.optional_json("instead_of")?,
        former: 0,
        agent: row.get("agent")?,
    };
    Ok(Placed { seq: row.get("seq")?, message, left_out: Vec::new() })
}

fn step(row: &Row<'_>) -> Result<Step> {
    let word = |column| Ok::<_, Error>(Value::String(row.get(column)?));
    let output: Option<String> = row.get("output")?;
    let ticket: Option<String> = row.get("ticket")?;
    let asked: Option<String> = row.get("asked_arguments")?;
    let edited: Option<String> = row.get("edited")?;
    Ok(Step {
        call_id: row.parsed("call_id")?,
        tool: row.get("tool")?,
        asked_as: row.get("asked_as")?,
        arguments: row.json("arguments")?,
        asked_arguments: asked.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?,
        approved_by: row.get("approved_by")?,
        edited: edited.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?.unwrap_or_default(),
        risk: serde_json::from_value(word("risk")?).map_err(Error::internal)?,
        state: serde_json::from_value(word("state")?).map_err(Error::internal)?,
        success: row.get("success")?,
        output: output.as_deref().map(answer).transpose()?,
        model_text: row.get("model_text")?,
        ticket: None,
        session: None,
        duration_ms: row.get::<Option<i64>>("duration_ms")?.map(i64::unsigned_abs),
        started_at: row.time("started_at")?,
        ticket_id: ticket.map(|text| text.parse()).transpose()?,
        provider_id: row.get("provider_id")?,
        malformed: row.get("malformed")?,
    })
}

/// The answer of a call. Earlier versions kept a failure as an object under `error`.
fn answer(text: &str) -> Result<Value> {
    let mut answer: Value = serde_json::from_str(text).map_err(Error::internal)?;
    if let Some(map) = answer.as_object_mut()
        && let Some(Value::Object(mut problem)) = map.get("error").cloned()
    {
        map.insert("error".to_owned(), problem.remove("message").unwrap_or_default());
        map.insert("problem".to_owned(), Value::Object(problem));
    }
    Ok(answer)
}

/// Adds a message with its steps at the end of a conversation.
pub(super) fn insert(tx: &Tx, conversation: ConversationId, message: &Message) -> Result<()> {
    let instead_of = message.instead_of.as_ref().map(serde_json::to_string).transpose().map_err(Error::internal)?;
    tx.run(
        "INSERT INTO messages (id, conversation, turn, role, text, model, input_tokens, output_tokens, error,
                               created_at, provider, instead_of, agent)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            message.id.to_string(),
            conversation.to_string(),
            message.turn_id.to_string(),
            message.role.as_str(),
            message.text,
            message.model,
            message.usage.map(|usage| usage.input_tokens.cast_signed()),
            message.usage.map(|usage| usage.output_tokens.cast_signed()),
            message.error,
            message.created_at.millis(),
            message.provider,
            instead_of,
            message.agent,
        ],
    )?;
    attachments::put(tx, message.id, &message.attachments)?;
    passages::cite(tx, message.id, &message.citations)?;
    message.steps.iter().enumerate().try_for_each(|(position, step)| put_step(tx, message.id, position, step))
}

/// Writes a step, over what stands there.
pub(super) fn put_step(tx: &Tx, message: MessageId, position: usize, step: &Step) -> Result<()> {
    let edited = (!step.edited.is_empty()).then(|| serde_json::to_string(&step.edited)).transpose();
    let edited = edited.map_err(Error::internal)?;
    tx.run(
        "INSERT INTO steps (message, position, call_id, provider_id, tool, asked_as, arguments, malformed, risk, state,
                            success, output, model_text, ticket, duration_ms, started_at, asked_arguments, approved_by,
                            edited)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
         ON CONFLICT (message, position) DO UPDATE SET call_id = ?3, provider_id = ?4, tool = ?5, asked_as = ?6,
           arguments = ?7, malformed = ?8, risk = ?9, state = ?10, success = ?11, output = ?12, model_text = ?13,
           ticket = ?14, duration_ms = ?15, started_at = ?16, asked_arguments = ?17, approved_by = ?18, edited = ?19",
        params![
            message.to_string(),
            i64::try_from(position).unwrap_or(i64::MAX),
            step.call_id.to_string(),
            step.provider_id,
            step.tool,
            step.asked_as,
            step.arguments.to_string(),
            step.malformed,
            step.risk.as_str(),
            step.state.as_str(),
            step.success,
            step.output.as_ref().map(Value::to_string),
            step.model_text,
            step.ticket_id.map(|id| id.to_string()),
            step.duration_ms.map(u64::cast_signed),
            step.started_at.millis(),
            step.asked_arguments.as_ref().map(Value::to_string),
            step.approved_by,
            edited,
        ],
    )?;
    Ok(())
}

/// A message to be copied.
struct Original {
    id: MessageId,
    turn: TurnId,
}

/// Copies everything up to and including a message into a fresh conversation, under new ids. Reads no text.
pub(super) fn copy(tx: &Tx, from: ConversationId, to: ConversationId, upto: MessageId) -> Result<()> {
    let sql = "SELECT id, turn FROM messages WHERE conversation = ?1
                 AND seq <= (SELECT seq FROM messages WHERE conversation = ?1 AND id = ?2) ORDER BY seq";
    let messages = tx.all(sql, (from.to_string(), upto.to_string()), |row| {
        Ok(Original { id: row.parsed("id")?, turn: row.parsed("turn")? })
    })?;
    if messages.is_empty() {
        return Err(Error::not_found(format!("There is no message '{upto}' in this conversation.")));
    }
    passages::copy(tx, from, to)?;
    let mut turns: HashMap<TurnId, TurnId> = HashMap::new();
    for original in messages {
        let turn = match turns.get(&original.turn) {
            Some(turn) => *turn,
            None => {
                let turn = copy_turn(tx, original.turn, to)?;
                turns.insert(original.turn, turn);
                turn
            }
        };
        copy_message(tx, original.id, to, turn)?;
    }
    Ok(())
}

/// Copies a turn as one that is over, and no run.
fn copy_turn(tx: &Tx, original: TurnId, to: ConversationId) -> Result<TurnId> {
    let turn = TurnId::new();
    tx.run(
        "INSERT INTO turns (id, conversation, state, error, failure, caller, provider, input_tokens, output_tokens,
                            model_calls, context, last_event, started_at, finished_at, agent, agent_version, kind)
         SELECT ?1, ?2, 'done', error, failure, caller, provider, input_tokens, output_tokens, model_calls, context,
                0, started_at, coalesce(finished_at, started_at), agent, agent_version, NULL FROM turns WHERE id = ?3",
        (turn.to_string(), to.to_string(), original.to_string()),
    )?;
    Ok(turn)
}

/// Copies a message with its steps, what it cites and what is attached to it.
fn copy_message(tx: &Tx, original: MessageId, to: ConversationId, turn: TurnId) -> Result<()> {
    let open = "SELECT 1 FROM steps WHERE message = ?1 AND state IN ('pending', 'running', 'waiting')";
    if tx.exists(open, [original.to_string()])? {
        return Err(Error::conflict("A turn is under way here. Branch once it is over."));
    }
    let copy = MessageId::new();
    tx.run(
        "INSERT INTO messages (id, conversation, turn, role, text, model, input_tokens, output_tokens, error,
                               created_at, provider, instead_of, agent)
         SELECT ?1, ?2, ?3, role, text, model, input_tokens, output_tokens, error, created_at, provider, instead_of,
                agent
         FROM messages WHERE id = ?4",
        (copy.to_string(), to.to_string(), turn.to_string(), original.to_string()),
    )?;
    let both = (copy.to_string(), original.to_string());
    tx.run("INSERT INTO citations (message, number) SELECT ?1, number FROM citations WHERE message = ?2", &both)?;
    tx.run(
        "INSERT INTO steps (message, position, call_id, provider_id, tool, asked_as, arguments, malformed, risk, state,
                            success, output, model_text, ticket, duration_ms, started_at, asked_arguments, approved_by,
                            edited)
         SELECT ?1, position, call_id, provider_id, tool, asked_as, arguments, malformed, risk, state, success, output,
                model_text, ticket, duration_ms, started_at, asked_arguments, approved_by, edited
         FROM steps WHERE message = ?2",
        both,
    )?;
    attachments::copy(tx, original, copy)
}

/// The last message of a person in a conversation.
pub(super) struct LastQuestion {
    pub(super) id: MessageId,
    /// Its place in the conversation.
    pub(super) seq: i64,
}

/// The last message of a person in a conversation. `None` if nobody has said anything.
pub(super) fn last_question(tx: &Tx, conversation: ConversationId) -> Result<Option<LastQuestion>> {
    let sql = "SELECT id, seq FROM messages WHERE conversation = ?1 AND role = 'user' ORDER BY seq DESC LIMIT 1";
    tx.first(sql, [conversation.to_string()], |row| Ok(LastQuestion { id: row.parsed("id")?, seq: row.get("seq")? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_failure_kept_by_an_earlier_version_is_told_as_one_of_today() {
        let kept = json!({"success": false, "error": {"kind": "timeout", "message": "late", "details": null}});
        let wanted = json!({"success": false, "error": "late", "problem": {"kind": "timeout", "details": null}});
        assert_eq!(answer(&kept.to_string()).unwrap(), wanted);
        assert_eq!(answer(&wanted.to_string()).unwrap(), wanted);
    }
}
