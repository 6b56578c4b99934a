//! The three dialects: the same conversation written, the same answer read, wherever the stream is cut.

use super::*;
use satchel_model::{
    llm::{ChatMessage, Image, ProviderId, StopReason, ToolResult, Usage, options::RequestOptions},
    provider::parameters::{Parameters, ReasoningEffort},
};

fn provider(kind: ProviderKind, base_url: &str) -> Provider {
    Provider {
        id: ProviderId::new(),
        kind,
        name: "Test".to_owned(),
        base_url: Url::parse(base_url).unwrap(),
        model: "m".to_owned(),
        api_key: None,
        priority: 0,
        enabled: true,
        context_tokens: None,
        parameters: Parameters::default(),
        from_environment: false,
    }
}

const OPENAI: &str = r#"data: {"choices":[{"delta":{"role":"assistant","content":""}}]}

data: {"choices":[{"delta":{"content":"Grüße"}}]}

: keep-alive

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"calc","arguments":""}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\":"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}},{"index":1,"id":"b","function":{"name":"read","arguments":"{oops"}}]}}]}

data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}

data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}

data: [DONE]

"#;

const ANTHROPIC: &str = r#"event: message_start
data: {"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":2,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"calc","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x\":"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"b","name":"read","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{oops"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}

event: message_stop
data: {"type":"message_stop"}

"#;

const OLLAMA: &str = r#"{"message":{"role":"assistant","content":"Grüße"},"done":false}
{"message":{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"calc","arguments":{"x":1}}},{"id":"b","function":{"name":"read","arguments":"{oops"}}]},"done":false}
{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":3}
"#;

const DIALECTS: [(ProviderKind, &str); 3] =
    [(ProviderKind::Openai, OPENAI), (ProviderKind::Anthropic, ANTHROPIC), (ProviderKind::Ollama, OLLAMA)];

fn read(kind: ProviderKind, pieces: &[&[u8]]) -> Result<Vec<Event>> {
    let mut decoder = Decoder::new(&provider(kind, "http://h/v1"), &ChatRequest::default());
    let mut events = Vec::new();
    for piece in pieces {
        events.extend(decoder.feed(piece)?);
    }
    events.extend(decoder.finish()?);
    Ok(events)
}

/// Texts joined, the last usage kept: what the pieces amount to.
fn amount(events: Vec<Event>) -> (String, Vec<ToolCall>, Usage, Vec<StopReason>) {
    let mut sum = (String::new(), Vec::new(), Usage::default(), Vec::new());
    for event in events {
        match event {
            Event::Text(text) => sum.0.push_str(&text),
            Event::ToolCall(call) => sum.1.push(call),
            Event::Usage(usage) => sum.2 = usage,
            Event::Stop(stop) => sum.3.push(stop),
            Event::Raw(frame) => panic!("passed on: {frame}"),
        }
    }
    sum
}

#[test]
fn every_dialect_reads_the_same_answer_wherever_it_is_cut() {
    let mut expected = (
        "Grüße".to_owned(),
        vec![call("a".to_owned(), "calc".to_owned(), r#"{"x":1}"#), call("b".to_owned(), "read".to_owned(), "{oops")],
        Usage::new(7, 3),
        vec![StopReason::ToolUse],
    );
    assert!(expected.1[1].malformed.as_deref().unwrap().contains("{oops"));
    for (kind, stream) in DIALECTS {
        // The others do not say what they still had.
        expected.2.cached_tokens = if kind == ProviderKind::Anthropic { 2 } else { 0 };
        for cut in 0..=stream.len() {
            let (head, tail) = stream.as_bytes().split_at(cut);
            assert_eq!(amount(read(kind, &[head, tail]).unwrap()), expected, "{kind:?} cut at {cut}");
        }
        let bytes: Vec<_> = stream.as_bytes().chunks(1).collect();
        assert_eq!(amount(read(kind, &bytes).unwrap()), expected, "{kind:?} byte by byte");
    }
}

#[test]
fn an_answer_that_breaks_off_is_an_error() {
    for (kind, stream) in DIALECTS {
        let half = &stream.as_bytes()[..stream.find("calc").unwrap()];
        let whole_lines = half.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        assert!(read(kind, &[&half[..whole_lines]]).is_err(), "{kind:?}");
        assert!(read(kind, &[]).is_err(), "{kind:?}");
        assert!(read(kind, &[b"data: <html>\n\n<html>\n"]).is_err(), "{kind:?}");
    }
}

#[test]
fn a_failure_inside_the_stream_is_an_error_with_its_reason() {
    let streams = [
        (ProviderKind::Openai, "data: {\"error\":{\"message\":\"overloaded\"}}\n\n"),
        (
            ProviderKind::Anthropic,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"overloaded\"}}\n\n",
        ),
        (ProviderKind::Ollama, "{\"error\":\"overloaded\"}\n"),
    ];
    for (kind, stream) in streams {
        let error = read(kind, &[stream.as_bytes()]).unwrap_err();
        assert_eq!(error.message(), "The model failed: overloaded", "{kind:?}");
    }
}

#[test]
fn calls_numbered_alike_are_told_apart_by_their_ids() {
    let stream = r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"two","arguments":"{}"}}]},"finish_reason":"stop"}]}

"#;
    let (_, calls, _, stop) = amount(read(ProviderKind::Openai, &[stream.as_bytes()]).unwrap());
    assert_eq!(calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(stop, [StopReason::ToolUse]);
}

fn conversation() -> ChatRequest {
    ChatRequest {
        system: "Be brief.".to_owned(),
        messages: vec![
            ChatMessage::User {
                text: "What is it?".to_owned(),
                images: vec![Image { mime: "image/png".to_owned(), data: "QUJD".into() }],
            },
            ChatMessage::Assistant {
                text: String::new(),
                calls: vec![call("a".to_owned(), "calc".to_owned(), r#"{"x":1}"#)],
            },
            ChatMessage::Tool {
                results: vec![ToolResult {
                    call: "a".to_owned(),
                    name: "calc".to_owned(),
                    text: "2".to_owned(),
                    failed: true,
                }],
            },
            ChatMessage::User { text: "Go on.".to_owned(), images: vec![] },
        ],
        tools: vec![ToolDefinition {
            name: "calc".to_owned(),
            description: "Computes.".to_owned(),
            parameters: json!({"type": "object"}).into(),
        }],
        options: RequestOptions::at_most(9),
        ..ChatRequest::default()
    }
}

#[test]
fn openai_bodies_hold_images_calls_and_results() {
    let body = openai::body(&provider(ProviderKind::Openai, "http://h/v1"), &conversation());
    let expected = json!({
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [
                {"type": "text", "text": "What is it?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}]},
            {"role": "assistant", "content": "", "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "calc", "arguments": "{\"x\":1}"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "2"},
            {"role": "user", "content": "Go on."}],
        "stream": true,
        "stream_options": {"include_usage": true},
        "tools": [{"type": "function", "function":
            {"name": "calc", "description": "Computes.", "parameters": {"type": "object"}}}],
        "max_tokens": 9,
    });
    assert_eq!(body, expected);
}

#[test]
fn anthropic_bodies_let_the_roles_take_turns() {
    let body = anthropic::body(&provider(ProviderKind::Anthropic, "http://h/v1"), &conversation());
    let expected = json!({
        "model": "m",
        "messages": [
            {"role": "user", "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}},
                {"type": "text", "text": "What is it?"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "calc", "input": {"x": 1}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "2", "is_error": true},
                {"type": "text", "text": "Go on."}]}],
        "max_tokens": 9,
        "stream": true,
        "system": "Be brief.",
        "tools": [{"name": "calc", "description": "Computes.", "input_schema": {"type": "object"}}],
    });
    assert_eq!(body, expected);
}

#[test]
fn ollama_bodies_say_how_much_context_is_meant() {
    let mut provider = provider(ProviderKind::Ollama, "http://h/");
    provider.context_tokens = Some(8192);
    let expected = json!({
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What is it?", "images": ["QUJD"]},
            {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "calc", "arguments": {"x": 1}}}]},
            {"role": "tool", "tool_name": "calc", "content": "2"},
            {"role": "user", "content": "Go on."}],
        "stream": true,
        "options": {"num_ctx": 8192, "num_predict": 9},
        "tools": [{"type": "function", "function":
            {"name": "calc", "description": "Computes.", "parameters": {"type": "object"}}}],
    });
    assert_eq!(ollama::body(&provider, &conversation()), expected);
}

#[test]
fn a_base_url_without_a_path_means_the_usual_one() {
    let cases = [
        (ProviderKind::Openai, "http://h:1", "http://h:1/v1/x"),
        (ProviderKind::Openai, "http://h:1/v1/", "http://h:1/v1/x"),
        (ProviderKind::Openai, "http://h:1/openai", "http://h:1/openai/x"),
        (ProviderKind::Anthropic, "http://h:1", "http://h:1/v1/x"),
        (ProviderKind::Anthropic, "http://h:1/v1", "http://h:1/v1/x"),
        (ProviderKind::Anthropic, "http://h:1/proxy", "http://h:1/proxy/v1/x"),
        (ProviderKind::Ollama, "http://h:1", "http://h:1/x"),
    ];
    for (kind, base, expected) in cases {
        assert_eq!(address(&provider(kind, base), "x").unwrap().as_str(), expected);
    }
}

#[test]
fn keys_travel_in_the_header_each_dialect_reads() {
    for (kind, header, value) in [
        (ProviderKind::Openai, "authorization", "Bearer k"),
        (ProviderKind::Ollama, "authorization", "Bearer k"),
        (ProviderKind::Anthropic, "x-api-key", "k"),
    ] {
        let mut provider = provider(kind, "http://h");
        provider.api_key = Some(satchel_model::secret::Secret::new("k"));
        let request = request(&provider, &conversation()).unwrap();
        assert_eq!(request.headers.get(header).unwrap(), value);
    }
}

/// The bodies of a request in each dialect.
fn bodies(parameters: &Parameters, base_url: &str, chat: &ChatRequest) -> [Value; 3] {
    let with = |kind| Provider { parameters: parameters.clone(), ..provider(kind, base_url) };
    [
        openai::body(&with(ProviderKind::Openai), chat),
        anthropic::body(&with(ProviderKind::Anthropic), chat),
        ollama::body(&with(ProviderKind::Ollama), chat),
    ]
}

#[test]
fn no_reasoning_is_said_as_each_dialect_says_it() {
    let parameters = Parameters { reasoning_effort: Some(ReasoningEffort::None), ..Parameters::default() };
    let [openai, anthropic, ollama] = bodies(&parameters, "http://h", &conversation());
    assert_eq!(openai["reasoning_effort"], "none");
    assert_eq!((&anthropic["thinking"], anthropic.get("output_config")), (&json!({"type": "disabled"}), None));
    assert_eq!(ollama["think"], false);
}

#[test]
fn of_two_limits_of_an_answer_the_lower_holds() {
    for (own, asked, sent) in [(5, Some(9), 5), (20, Some(9), 9), (20, None, 20)] {
        let parameters = Parameters { max_tokens: Some(own), ..Parameters::default() };
        let options = RequestOptions { max_tokens: asked, ..RequestOptions::default() };
        let chat = ChatRequest { options, ..conversation() };
        let [openai, anthropic, ollama] = bodies(&parameters, "http://h", &chat);
        let limits = [&openai["max_tokens"], &anthropic["max_tokens"], &ollama["options"]["num_predict"]];
        assert_eq!(limits, [sent; 3]);
    }
    let [openai, ..] = bodies(&Parameters::default(), "https://api.openai.com/v1", &conversation());
    assert_eq!((&openai["max_completion_tokens"], openai.get("max_tokens")), (&json!(9), None));
}

#[test]
fn standing_instructions_stand_before_the_data_and_only_where_a_person_reads_the_answer() {
    let parameters = Parameters { instructions: Some("Be kind.".to_owned()), ..Parameters::default() };
    let chat = ChatRequest { background: "\n\n[MEMORIES]".to_owned(), ..conversation() };
    let systems = |chat: &ChatRequest| {
        let [openai, anthropic, ollama] = bodies(&parameters, "http://h", chat);
        [&openai["messages"][0]["content"], &anthropic["system"], &ollama["messages"][0]["content"]].map(Value::clone)
    };
    assert_eq!(systems(&chat), ["Be brief.\n\n[MEMORIES]"; 3]);
    let chat = ChatRequest { for_person: true, ..chat };
    assert_eq!(systems(&chat), ["Be brief.\n\nStanding instructions for you:\nBe kind.\n\n[MEMORIES]"; 3]);
}

#[test]
fn more_values_than_are_read_are_refused_before_they_are_parsed() {
    let values = |count: usize| format!("[{}]", vec!["0"; count].join(","));
    assert!(parse(&values(1_000)).is_ok());
    assert!(parse(&values(200_000)).unwrap_err().message().contains("more than 100000 values"));
    let arguments = format!("{{\"x\": {}}}", values(200_000));
    let called = call("a".to_owned(), "calc".to_owned(), &arguments);
    assert_eq!((called.arguments, called.malformed.is_some()), (json!({}), true));
}
