//! Repetition: a model that makes the same call again and again, and learns nothing new by it, is told so once and
//! then stopped.

use serde_json::Value;

use satchel_model::{
    conversation::{Message, Step, StepState},
    json::canonical,
};

/// The call that is answered with an error in place of being run.
const TOLD_AT: usize = 3;

/// The measure to take with a call that repeats earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repetition {
    /// Run it.
    Fine,
    /// Answer it with [`TOLD`].
    Tell,
    /// End the turn.
    Stop,
}

/// The text the model reads at the third identical call.
pub(super) const TOLD: &str = "You made exactly this call before and got the same result. It was not run again. Use what you \
                        have, try something else, or tell the person what is missing.";

/// The text the person reads where the model goes on all the same.
pub(super) const STOPPED: &str = "The model kept repeating the same tool call, so the turn was ended. Rephrase the request, or \
                           say what to do instead.";

/// Judges one step against the earlier ones of its turn.
pub(super) fn judge(turn: &[Message], step: &Step) -> Repetition {
    let arguments = canonical(step.asked());
    let same = |other: &&Step| {
        other.call_id != step.call_id && other.asked_as == step.asked_as && canonical(other.asked()) == arguments
    };
    let earlier: Vec<&Step> =
        turn.iter().flat_map(|message| &message.steps).filter(same).filter(|s| s.state == StepState::Done).collect();
    let told = earlier.iter().any(|other| other.model_text.as_deref().is_some_and(|text| text.contains(TOLD)));
    let Some((last, rest)) = earlier.split_last() else { return Repetition::Fine };
    if told {
        return Repetition::Stop;
    }
    // A call that is repeated to see something change, and saw it change, is no loop.
    let alike = rest.iter().filter(|other| content(other) == content(last)).count() + 1;
    if alike + 1 >= TOLD_AT { Repetition::Tell } else { Repetition::Fine }
}

fn content(step: &Step) -> (Option<&Value>, Option<&str>) {
    match &step.output {
        Some(output) if step.success == Some(true) => (output.get("data"), None),
        _ => (None, step.model_text.as_deref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::{
        conversation::{MessageId, Role, TurnId},
        time::Time,
    };
    use serde_json::json;

    fn step(arguments: Value, data: Value) -> Step {
        Step {
            tool: "builtin:t".to_owned(),
            state: StepState::Done,
            success: Some(true),
            output: Some(json!({"data": data})),
            model_text: Some("text".to_owned()),
            duration_ms: Some(1),
            ..Step::new("t", arguments, Time::from_millis(0))
        }
    }

    fn turn(steps: Vec<Step>) -> Vec<Message> {
        let message = Message {
            id: MessageId::new(),
            turn_id: TurnId::new(),
            role: Role::Assistant,
            text: String::new(),
            attachments: Vec::new(),
            citations: Vec::new(),
            steps,
            created_at: Time::from_millis(0),
            model: None,
            provider: None,
            instead_of: None,
            former: 0,
            agent: None,
            usage: None,
            error: None,
        };
        vec![message]
    }

    #[test]
    fn the_third_identical_call_is_told_and_the_next_ends_the_turn() {
        let call = || step(json!({"a": 1, "b": 2}), json!(7));
        assert_eq!(judge(&turn(vec![]), &call()), Repetition::Fine);
        assert_eq!(judge(&turn(vec![call()]), &call()), Repetition::Fine);
        assert_eq!(judge(&turn(vec![call(), call()]), &call()), Repetition::Tell);
        let told = Step { model_text: Some(format!("[TOOL:t]\nerror: {TOLD}\n[/TOOL]")), ..call() };
        assert_eq!(judge(&turn(vec![call(), call(), told]), &call()), Repetition::Stop);
    }

    #[test]
    fn the_order_of_arguments_makes_no_difference() {
        let one = || step(json!({"a": 1, "b": 2}), json!(7));
        let other = || step(json!({"b": 2, "a": 1}), json!(7));
        assert_eq!(judge(&turn(vec![one(), other()]), &other()), Repetition::Tell);
    }

    #[test]
    fn a_call_whose_result_changes_may_be_repeated() {
        let seen = (0..9).map(|n| step(json!({}), json!(n))).collect();
        assert_eq!(judge(&turn(seen), &step(json!({}), json!(null))), Repetition::Fine);
    }

    #[test]
    fn other_arguments_are_another_call() {
        let seen = turn(vec![step(json!(1), json!(7)), step(json!(1), json!(7))]);
        assert_eq!(judge(&seen, &step(json!(2), json!(7))), Repetition::Fine);
    }
}
