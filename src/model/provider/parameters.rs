//! Parameters of requests to a provider beside the conversation: temperature, length, reasoning and standing instructions.
//! One that is not set is not sent.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    error::{Error, Result},
    figure,
    llm::ProviderKind,
};

/// Longest standing instructions, in characters.
const INSTRUCTIONS: usize = 8_000;

/// Parameters of requests to a provider beside the conversation. An absent one is left to its server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Freedom in the choice of words: 0 nearly always the likeliest, 2 very freely. Anthropic takes at most 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 2)]
    pub temperature: Option<f64>,
    /// Words are chosen among the likeliest whose probabilities add up to this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1)]
    pub top_p: Option<f64>,
    /// Most tokens of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub max_tokens: Option<u32>,
    /// Reasoning before an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Instructions for every conversation, besides the platform's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 8_000)]
    pub instructions: Option<String>,
}

/// Effort of a model's reasoning before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEffort {
    /// Not at all.
    None,
    /// A little.
    Low,
    /// Between the others.
    Medium,
    /// Much.
    High,
}

impl ReasoningEffort {
    /// The word as it stands in rows and requests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl Parameters {
    /// The same where a provider of this kind and with this much room can take them; empty instructions are none.
    ///
    /// # Errors
    ///
    /// If one of them is out of its range: the field is named in the details.
    pub fn checked(mut self, kind: ProviderKind, context_tokens: Option<u32>) -> Result<Self> {
        let warmest = if kind == ProviderKind::Anthropic { 1.0 } else { 2.0 };
        if self.temperature.is_some_and(|given| !(0.0..=warmest).contains(&given)) {
            let whose = if kind == ProviderKind::Anthropic { " with Anthropic" } else { "" };
            return Err(wrong("temperature", format!("The temperature is a number from 0 to {warmest}{whose}.")));
        }
        if self.top_p.is_some_and(|given| !(0.0..=1.0).contains(&given)) {
            return Err(wrong("top_p", "Top P is a number from 0 to 1."));
        }
        if self.max_tokens == Some(0) {
            return Err(wrong("max_tokens", "An answer has 1 token or more."));
        }
        if let (Some(most), Some(context)) = (self.max_tokens, context_tokens)
            && most >= context
        {
            let context = figure::grouped(u64::from(context));
            let message =
                format!("An answer of so many tokens leaves no room for a question: {context} are read at once.");
            return Err(wrong("max_tokens", message));
        }
        self.instructions = self.instructions.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        if self.instructions.as_ref().is_some_and(|text| text.chars().count() > INSTRUCTIONS) {
            let most = figure::grouped(INSTRUCTIONS as u64);
            return Err(wrong("instructions", format!("Instructions have at most {most} characters.")));
        }
        Ok(self)
    }

    /// Returns true where any of them changes what a server is asked for: instructions are words as any others.
    pub fn ask_otherwise(&self) -> bool {
        *self != Self { instructions: self.instructions.clone(), ..Self::default() }
    }

    /// The parameter a server's refusal is about, by the name it has in requests and answers, if it names one that is
    /// set.
    pub fn blamed(&self, refusal: &str) -> Option<&'static str> {
        let refusal = refusal.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| refusal.contains(word));
        let set: [(bool, &'static str, &[&str]); 4] = [
            (self.temperature.is_some(), "temperature", &["temperature"]),
            (self.top_p.is_some(), "top_p", &["top_p"]),
            (self.max_tokens.is_some(), "max_tokens", &["max_tokens", "max_completion_tokens", "num_predict"]),
            (self.reasoning_effort.is_some(), "reasoning_effort", &["effort", "think", "output_config"]),
        ];
        set.into_iter().find(|(is_set, _, words)| *is_set && names(words)).map(|(_, name, _)| name)
    }
}

fn wrong(field: &str, message: impl Into<String>) -> Error {
    Error::invalid(message).with_details(json!({ "field": field }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(value: serde_json::Value, kind: ProviderKind) -> Option<String> {
        let given: Parameters = serde_json::from_value(value).unwrap();
        let error = given.checked(kind, Some(8_192)).err()?;
        Some(error.details().unwrap()["field"].as_str().unwrap().to_owned())
    }

    #[test]
    fn each_parameter_has_its_range() {
        for (given, field) in [
            (json!({"temperature": 2.1}), Some("temperature")),
            (json!({"temperature": -0.1}), Some("temperature")),
            (json!({"temperature": 2}), None),
            (json!({"temperature": 0}), None),
            (json!({"top_p": 1.01}), Some("top_p")),
            (json!({"top_p": 1}), None),
            (json!({"max_tokens": 0}), Some("max_tokens")),
            (json!({"max_tokens": 8_192}), Some("max_tokens")),
            (json!({"max_tokens": 8_191}), None),
            (json!({"instructions": "é".repeat(8_001)}), Some("instructions")),
            (json!({"instructions": "é".repeat(8_000)}), None),
            (json!({"reasoning_effort": "none"}), None),
        ] {
            assert_eq!(refusal(given.clone(), ProviderKind::Openai).as_deref(), field, "{given}");
        }
        assert_eq!(refusal(json!({"temperature": 1.1}), ProviderKind::Anthropic).as_deref(), Some("temperature"));
        assert!(serde_json::from_value::<Parameters>(json!({"reasoning_effort": "extreme"})).is_err());
        assert!(serde_json::from_value::<Parameters>(json!({"top_k": 4})).is_err());
    }

    #[test]
    fn what_is_not_set_is_not_written_and_blank_instructions_are_none() {
        let given: Parameters = serde_json::from_value(json!({"top_p": 0.5, "instructions": " \n"})).unwrap();
        let checked = given.checked(ProviderKind::Ollama, None).unwrap();
        assert_eq!(serde_json::to_value(&checked).unwrap(), json!({"top_p": 0.5}));
        assert!(checked.ask_otherwise());
        let spoken = Parameters { instructions: Some("Be kind.".to_owned()), ..Parameters::default() };
        assert!(!spoken.ask_otherwise());
    }

    #[test]
    fn a_refusal_names_the_parameter_only_where_it_is_set() {
        let set = Parameters { temperature: Some(0.5), max_tokens: Some(9), ..Parameters::default() };
        for (said, name) in [
            ("Unsupported parameter: 'temperature' is not supported with this model.", Some("temperature")),
            ("Use 'max_completion_tokens' instead.", Some("max_tokens")),
            ("Unsupported value: top_p", None),
            ("model does not support thinking", None),
        ] {
            assert_eq!(set.blamed(said), name, "{said}");
        }
    }
}
