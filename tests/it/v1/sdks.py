"""The published clients of OpenAI and Anthropic, against the server at BASE with the key KEY."""

import os

import anthropic
import openai

BASE, KEY = os.environ["BASE"], os.environ["KEY"]
AGENT, MODEL = "satchel/assistant", "openai:fake-1"
SCHEMA = {"type": "object", "properties": {"town": {"type": "string"}}}

client = openai.OpenAI(base_url=f"{BASE}/v1", api_key=KEY, max_retries=0)
ids = [model.id for model in client.models.list()]
assert AGENT in ids and MODEL in ids, ids
assert client.models.retrieve(AGENT).id == AGENT

for model in (AGENT, MODEL):
    said = [{"role": "user", "content": "How is the weather?"}]
    whole = client.chat.completions.create(model=model, messages=said)
    if model == AGENT:
        assert whole.choices[0].message.content == "It is sunny.", whole
        assert whole.usage.total_tokens == 15, whole.usage
    stream = client.chat.completions.create(
        model=model, messages=said, stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == "It is sunny.", text
    assert chunks[-1].usage.total_tokens == 15, chunks[-1]

tools = [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}]
asked = client.chat.completions.create(model=AGENT, messages=said, tools=tools)
message = asked.choices[0].message
assert message.tool_calls[0].function.name == "get_weather", asked
said += [message, {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "sunny"}]
answered = client.chat.completions.create(model=AGENT, messages=said, tools=tools)
assert answered.choices[0].message.content == "It is sunny.", answered

response = client.responses.create(model=AGENT, input="How is the weather?", instructions="Be brief.")
assert response.output_text == "It is sunny." and response.status == "completed", response
again = client.responses.create(model=AGENT, input="Sure?", previous_response_id=response.id)
assert again.previous_response_id == response.id
assert client.responses.retrieve(response.id).output_text == "It is sunny."
assert client.responses.input_items.list(response.id).data[0].content[0].text == "How is the weather?"
with client.responses.stream(model=AGENT, input="How is the weather?") as events:
    kinds = [event.type for event in events]
    final = events.get_final_response()
assert kinds[0] == "response.created" and kinds[-1] == "response.completed", kinds
assert final.output_text == "It is sunny.", final
functions = [{"type": "function", "name": "get_weather", "parameters": SCHEMA, "strict": False}]
wanted = client.responses.create(model=AGENT, input="How is the weather?", tools=functions)
given = [item for item in wanted.output if item.type == "function_call"][0]
result = [{"type": "function_call_output", "call_id": given.call_id, "output": "sunny"}]
answered = client.responses.create(model=AGENT, input=result, tools=functions, previous_response_id=wanted.id)
assert answered.output_text == "It is sunny.", answered
client.responses.delete(response.id)
try:
    client.responses.retrieve(response.id)
    raise AssertionError("a forgotten response was found")
except openai.NotFoundError as error:
    assert error.code == "previous_response_not_found", error
try:
    client.chat.completions.create(model="satchel/nobody", messages=said)
    raise AssertionError("nobody answered")
except openai.NotFoundError as error:
    assert error.code == "model_not_found" and error.param == "model", error
try:
    openai.OpenAI(base_url=f"{BASE}/v1", api_key="wrong", max_retries=0).models.list()
    raise AssertionError("a wrong key was taken")
except openai.AuthenticationError as error:
    assert error.code == "invalid_api_key", error
try:
    vectors = client.embeddings.create(model="satchel/embedding", input=["a heron", "a stork"])
    assert len(vectors.data) == 2 and len(vectors.data[0].embedding) == 384
except openai.InternalServerError as error:
    assert error.status_code == 503, error

client = anthropic.Anthropic(base_url=BASE, api_key=KEY, max_retries=0)
assert AGENT in [model.id for model in client.models.list()]
said = [{"role": "user", "content": "How is the weather?"}]
for model in (AGENT, MODEL):
    whole = client.messages.create(model=model, max_tokens=100, messages=said)
    assert whole.content[0].text == "It is sunny." and whole.stop_reason == "end_turn", whole
    assert whole.usage.output_tokens == 5, whole.usage
    with client.messages.stream(model=model, max_tokens=100, messages=said, system="Be brief.") as stream:
        assert "".join(stream.text_stream) == "It is sunny."
        assert stream.get_final_message().usage.output_tokens == 5
    tools = [{"name": "get_weather", "input_schema": SCHEMA}]
    with client.messages.stream(model=model, max_tokens=100, messages=said, tools=tools) as stream:
        asked = stream.get_final_message()
    call = asked.content[-1]
    assert asked.stop_reason == "tool_use" and call.input == {"town": "Bern"}, asked
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "sunny"}
    more = said + [{"role": "assistant", "content": asked.content}, {"role": "user", "content": [result]}]
    answered = client.messages.create(model=model, max_tokens=100, messages=more, tools=tools)
    assert answered.content[0].text == "It is sunny.", answered
assert client.messages.count_tokens(model=AGENT, messages=said).input_tokens > 0
with client.beta.messages.stream(model=AGENT, max_tokens=100, messages=said, betas=["context-1m"]) as stream:
    assert stream.get_final_message().content[0].text == "It is sunny."
try:
    client.messages.create(model="satchel/nobody", max_tokens=1, messages=said)
    raise AssertionError("nobody answered")
except anthropic.NotFoundError as error:
    assert error.body["error"]["type"] == "not_found_error", error

print("served")
