#!/usr/bin/env python3
"""Official clients in front of a server whose calls are broken: directly, and through `toolmend serve`.

    pip install openai anthropic langchain-openai
    python3 scripts/check_gateway_clients.py --cli target/release/toolmend

A loopback server writes one call in each of a few broken ways, in the protocol of each client, and the client
hands out what it makes of it. Through the gateway every client has to hand out the call that was meant; what was
cut must not become a call that differs from what the client makes of it directly. Prints both as a table. Exits
1 where a client fails through the gateway, 2 where something could not be run.
"""

import argparse
import importlib.util
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from check_gateway import Gateway  # noqa: E402

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "metric": {"type": "boolean"}},
    "required": ["city", "days"],
}
MEANT = {"city": "Oslo", "days": 3}
FAULTS = {
    "valid": '{"city": "Oslo", "days": 3}',
    "fence": '```json\n{"city": "Oslo", "days": 3}\n```',
    "trailing comma": '{"city": "Oslo", "days": 3,}',
    "single quotes": "{'city': 'Oslo', 'days': 3}",
    "missing closer": '{"city": "Oslo", "days": 3',
    "number as string": '{"city": "Oslo", "days": "3"}',
    "extra closer": '{"city": "Oslo", "days": 3}}',
    "bare keys": '{city: "Oslo", days: 3}',
    "quoted whole": '"{\\"city\\": \\"Oslo\\", \\"days\\": 3}"',
    "leaked mark": '<tool_call>{"city": "Oslo", "days": 3}</tool_call>',
}
# What it hands out must be what it hands out directly.
CUT = {"cut in a string": '{"days": 3, "city": "Os'}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", type=Path, required=True, help="the toolmend binary")
    options = parser.parse_args()
    known = {name: client for name, (package, client) in CLIENTS.items() if importlib.util.find_spec(package)}
    for name in CLIENTS.keys() - known.keys():
        print(f"!! SKIPPED: {name}: {CLIENTS[name][0]} is not installed")
    if not known:
        sys.exit(2)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    failures = 0
    print(f"{'client':24} {'arguments':18} {'directly':10} through toolmend")
    with Gateway(options.cli, server.server_port, "call", "mend") as gateway:
        for name, client in known.items():
            for fault, said in (FAULTS | CUT).items():
                Handler.said = said
                direct = outcome(client, server.server_port, fault)
                through = outcome(client, gateway.port, fault)
                wrong = through[0] != "right" if fault in FAULTS else through != direct
                failures += wrong
                print(f"{name:24} {fault:18} {direct[0]:10} {through[0]}{'  FAILED ' + str(through[1]) if wrong else ''}")
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


def outcome(client, port, fault):
    """What a client hands out, in one word and in full."""
    try:
        got = client(f"http://127.0.0.1:{port}")
    except Exception as error:  # noqa: BLE001: whatever a client throws is its outcome
        return "error", type(error).__name__
    if isinstance(got, str):
        try:
            got = json.loads(got)
        except ValueError:
            return "broken", got
    if fault in CUT:
        return "a call", got
    return ("right" if got == MEANT else "wrong"), got


def chat_stream(base):
    from openai import OpenAI

    client = OpenAI(base_url=f"{base}/v1", api_key="x", max_retries=0)
    tools = [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}]
    with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "?"}], tools=tools) as stream:
        for _ in stream:
            pass
        return stream.get_final_completion().choices[0].message.tool_calls[0].function.arguments


def chat_whole(base):
    from openai import OpenAI

    client = OpenAI(base_url=f"{base}/v1", api_key="x", max_retries=0)
    tools = [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}]
    answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}], tools=tools)
    return answer.choices[0].message.tool_calls[0].function.arguments


def responses_stream(base):
    from openai import OpenAI

    client = OpenAI(base_url=f"{base}/v1", api_key="x", max_retries=0)
    tools = [{"type": "function", "name": "weather", "parameters": SCHEMA}]
    with client.responses.stream(model="m", input="?", tools=tools) as stream:
        for _ in stream:
            pass
        return stream.get_final_response().output[0].arguments


def messages_stream(base):
    from anthropic import Anthropic

    client = Anthropic(base_url=base, api_key="x", max_retries=0)
    tools = [{"name": "weather", "input_schema": SCHEMA}]
    messages = [{"role": "user", "content": "?"}]
    with client.messages.stream(model="m", max_tokens=100, messages=messages, tools=tools) as stream:
        return stream.get_final_message().content[0].input


def langchain_stream(base):
    from langchain_openai import ChatOpenAI

    tools = [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}]
    model = ChatOpenAI(model="m", base_url=f"{base}/v1", api_key="x", max_retries=0).bind_tools(tools)
    whole = None
    for chunk in model.stream("?"):
        whole = chunk if whole is None else whole + chunk
    return whole.tool_calls[0]["args"]


CLIENTS = {
    "openai, chat streamed": ("openai", chat_stream),
    "openai, chat whole": ("openai", chat_whole),
    "openai, responses": ("openai", responses_stream),
    "anthropic, streamed": ("anthropic", messages_stream),
    "langchain, streamed": ("langchain_openai", langchain_stream),
}


class Handler(BaseHTTPRequestHandler):
    """Answers each request with one call, whose arguments are what is to be said next."""

    protocol_version = "HTTP/1.1"
    said = ""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        pieces = [self.said[at : at + 7] for at in range(0, len(self.said), 7)]
        if self.path.startswith("/v1/messages"):
            events = messages(pieces)
        elif self.path.startswith("/v1/responses"):
            events = responses(self.said, pieces)
        elif request.get("stream"):
            events = chat(pieces)
        else:
            return self.reply("application/json", json.dumps(completion(self.said)))
        return self.reply("text/event-stream", "".join(events))

    def reply(self, kind, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def event(data, name=None):
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"


def completion(said):
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": said}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def chat(pieces):
    def chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return event({"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]})

    opening = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "weather", "arguments": ""}}
    yield chunk({"role": "assistant", "content": None})
    yield chunk({"tool_calls": [opening]})
    for piece in pieces:
        yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls")
    yield "data: [DONE]\n\n"


def responses(said, pieces):
    item = {"type": "function_call", "id": "fc", "call_id": "call_1", "name": "weather", "status": "completed"}
    answer = {
        "id": "r", "object": "response", "created_at": 0, "model": "m", "status": "completed", "tools": [],
        "output": [item | {"arguments": said}], "parallel_tool_calls": True, "tool_choice": "auto",
    }  # fmt: skip
    events = [
        ("response.created", {"response": answer | {"status": "in_progress", "output": []}}),
        ("response.output_item.added", {"output_index": 0, "item": item | {"arguments": "", "status": "in_progress"}}),
    ]
    place = {"item_id": "fc", "output_index": 0}
    events += [("response.function_call_arguments.delta", place | {"delta": piece}) for piece in pieces]
    events += [
        ("response.function_call_arguments.done", place | {"arguments": said}),
        ("response.output_item.done", {"output_index": 0, "item": item | {"arguments": said}}),
        ("response.completed", {"response": answer}),
    ]
    for number, (name, data) in enumerate(events):
        yield event({"type": name, "sequence_number": number} | data, name)


def messages(pieces):
    message = {
        "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    block = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}
    events = [("message_start", {"message": message}), ("content_block_start", {"index": 0, "content_block": block})]
    events += [
        ("content_block_delta", {"index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}})
        for piece in pieces
    ]
    end = {"delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {"output_tokens": 9}}
    events += [("content_block_stop", {"index": 0}), ("message_delta", end), ("message_stop", {})]
    for name, data in events:
        yield event({"type": name} | data, name)


if __name__ == "__main__":
    main()
