"""A loopback model server whose calls are broken: the faults, and the turns that carry them.

Not a program: `check_gateway_clients.py` puts official clients in front of it, `check_agents.py` agents. It speaks OpenAI
Chat and Responses and Anthropic Messages, streamed and not, as the request asks.
"""

import json
import re
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Ways to break a JSON object, of each of which it is certain what was meant. They take and give the text.
FAULTS = {
    "fence": lambda text: f"```json\n{text}\n```",
    "trailing comma": lambda text: f"{text[:-1]},}}",
    "single quotes": lambda text: text.replace('"', "'"),
    "missing closer": lambda text: text[:-1],
    "extra closer": lambda text: f"{text}}}",
    "bare keys": lambda text: re.sub(r'"(\w+)":', r"\1:", text),
    "raw newline": lambda text: text.replace("\\n", "\n"),
    "quoted whole": json.dumps,
    "leaked mark": lambda text: f"<tool_call>{text}</tool_call>",
    "prose after": lambda text: f"{text}\n\nThis is what I am going to run.",
    "doubled": lambda text: text + text,
}
# Of these nobody can know what was meant; the server says that the turn was whole.
CUT = {"cut in a string": lambda text: text[:-4]}
USAGE = {"input_tokens": 20, "output_tokens": 10}
# So many characters of the arguments come in one event.
PIECE = 7


@dataclass
class Turn:
    """What the model says: a text, or a call if it has a name. A cut turn ends as if it was not."""

    text: str = ""
    name: str = ""
    arguments: str = ""

    def pieces(self):
        whole = self.arguments if self.name else self.text
        return [whole[at : at + PIECE] for at in range(0, len(whole), PIECE)]


class FaultyServer:
    """Answers each request with the turn that `answer` makes of its object, on a free port until the block is left."""

    def __init__(self, answer):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                path, streamed = self.path.partition("?")[0], request.get("stream")
                writers = next((known for end, known in PROTOCOLS.items() if path.endswith(end)), None)
                if writers is None:
                    return self.reply("application/json", "{}", 404)
                turn = answer(request)
                if streamed:
                    return self.reply("text/event-stream", "".join(writers[0](turn)))
                return self.reply("application/json", json.dumps(writers[1](turn)))

            def do_GET(self):
                self.reply("application/json", '{"object": "list", "data": []}')

            def do_HEAD(self):
                self.reply("application/json", "")

            def reply(self, kind, text, status=200):
                body = text.encode()
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # A client that leaves is no error.
        self.server.handle_error = lambda *_: None
        self.server.daemon_threads = True
        self.port = self.server.server_port

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()


def event(data, name=None):
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"


def chat(turn):
    def chunk(delta, finish=None, **more):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        return event(head | {"choices": [choice]} | more)

    yield chunk({"role": "assistant", "content": None})
    if turn.name:
        function = {"name": turn.name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]})
    for piece in turn.pieces():
        said = {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} if turn.name else {"content": piece}
        yield chunk(said)
    yield chunk({}, "tool_calls" if turn.name else "stop", usage=chat_usage())
    yield "data: [DONE]\n\n"


def chat_whole(turn):
    message = {"role": "assistant", "content": turn.text or None}
    if turn.name:
        function = {"name": turn.name, "arguments": turn.arguments}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if turn.name else "stop"}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "m"}
    return head | {"choices": [choice], "usage": chat_usage()}


def chat_usage():
    read, written = USAGE.values()
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def responses(turn):
    answer = responses_whole(turn)
    item = answer["output"][0]
    place = {"item_id": item["id"], "output_index": 0}
    opened = item | {"status": "in_progress"} | ({"arguments": ""} if turn.name else {"content": []})
    events = [
        ("response.created", {"response": answer | {"status": "in_progress", "output": [], "usage": None}}),
        ("response.output_item.added", {"output_index": 0, "item": opened}),
    ]
    if turn.name:
        kind = "response.function_call_arguments"
        events += [(f"{kind}.delta", place | {"delta": piece}) for piece in turn.pieces()]
        events += [(f"{kind}.done", place | {"arguments": turn.arguments})]
    else:
        place |= {"content_index": 0}
        part = item["content"][0]
        events += [("response.content_part.added", place | {"part": part | {"text": ""}})]
        events += [("response.output_text.delta", place | {"delta": piece, "logprobs": []}) for piece in turn.pieces()]
        events += [("response.output_text.done", place | {"text": turn.text, "logprobs": []})]
        events += [("response.content_part.done", place | {"part": part})]
    events += [
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": answer}),
    ]
    for number, (name, data) in enumerate(events):
        yield event({"type": name, "sequence_number": number} | data, name)


def responses_whole(turn):
    if turn.name:
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "status": "completed"}
        item |= {"name": turn.name, "arguments": turn.arguments}
    else:
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
        item |= {"content": [{"type": "output_text", "text": turn.text, "annotations": []}]}
    head = {"id": "resp_1", "object": "response", "created_at": 0, "model": "m", "status": "completed"}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = USAGE | details | {"total_tokens": sum(USAGE.values())}
    asked = {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True}
    return head | asked | {"output": [item], "usage": usage}


def messages(turn):
    message = messages_whole(turn) | {"content": [], "stop_reason": None}
    if turn.name:
        block = {"type": "tool_use", "id": "toolu_1", "name": turn.name, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in turn.pieces()]
    else:
        block = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in turn.pieces()]
    end = {"stop_reason": "tool_use" if turn.name else "end_turn", "stop_sequence": None}
    events = [("message_start", {"message": message}), ("content_block_start", {"index": 0, "content_block": block})]
    events += [("content_block_delta", {"index": 0, "delta": delta}) for delta in deltas]
    events += [("content_block_stop", {"index": 0}), ("message_delta", {"delta": end, "usage": USAGE})]
    events += [("message_stop", {})]
    for name, data in events:
        yield event({"type": name} | data, name)


def messages_whole(turn):
    if turn.name:
        block = {"type": "tool_use", "id": "toolu_1", "name": turn.name, "input": value_or_text(turn.arguments)}
    else:
        block = {"type": "text", "text": turn.text}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [block]}
    return head | {"stop_reason": "tool_use" if turn.name else "end_turn", "stop_sequence": None, "usage": USAGE}


def value_or_text(arguments):
    """What does not parse can stand in the place of an object as text alone."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


# How a turn is written, streamed and whole, by the end of the path.
PROTOCOLS = {
    "/chat/completions": (chat, chat_whole),
    "/responses": (responses, responses_whole),
    "/messages": (messages, messages_whole),
}
