#!/usr/bin/env python3
"""A real model server, directly and through `toolmend serve`.

    llama-server … --jinja --chat-template-file ../shared/real-model/qwen-fence.jinja --port 18090
    python3 scripts/check_model.py --shared ../shared --cli target/release/toolmend --server http://127.0.0.1:18090

`../shared/real-model/up.sh` fetches the server and a small model; with the template above it returns structured
calls. Each prompt is asked for streamed, at temperature 0, with plenty of tokens and with too few. Checked, since
no two runs of a model need to agree in their words: what arrives through the gateway is a call that its tool
admits or the bytes of the server; a turn that used up its tokens never ends as if it had not; and the Responses
API, where this server says `completed` of a cut turn, says `incomplete`. Exits 1 where something is wrong, 2
where something could not be run.
"""

import argparse
import http.client
import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent))
from check_gateway import Gateway  # noqa: E402

ASKED = {
    "get_weather": "What will the weather be in Lisbon for the next 3 days, in celsius?",
    "send_email": "Email ana@example.org, subject Budget, and say the numbers are ready; mark it high priority.",
    "run_shell": "List the ten largest files under /var/log, with a 30 second timeout.",
}
FEW = 14


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, required=True, help="the folder with real-model/tools.json")
    parser.add_argument("--cli", type=Path, required=True, help="the toolmend binary")
    parser.add_argument("--server", required=True, help="the model server's URL")
    options = parser.parse_args()
    port = urlsplit(options.server).port
    try:
        ask(port, "/v1/models", None)
    except OSError as error:
        print(f"!! SKIPPED: no model server at {options.server}: {error}")
        sys.exit(2)
    tools = json.loads((options.shared / "real-model" / "tools.json").read_text(encoding="utf-8"))
    failures, seen = [], 0
    with Gateway(options.cli, port, "call", "mend", on_cut="relabel") as gateway:
        for tool in tools:
            name = tool["function"]["name"]
            if name not in ASKED:
                continue
            for tokens in (FEW, 200):
                direct, through = (chat(where, tool, tokens) for where in (port, gateway.port))
                print(f"chat, {name}, {tokens} tokens: {direct[:2]} directly, {through[:2]} through")
                seen += 1
                if tokens == FEW and through[1] != "length":
                    failures.append(f"chat, {name}: a cut turn ended as {through[1]}")
                if through[0] and through[1] != "length" and not is_object(through[0]):
                    failures.append(f"chat, {name}: what arrived is no object: {through[0]}")
            direct, through = (responses(where, tool, FEW) for where in (port, gateway.port))
            print(f"responses, {name}, {FEW} tokens: {direct} directly, {through} through")
            seen += 1
            if direct[0] and through[1:] != ("response.incomplete", "incomplete"):
                failures.append(f"responses, {name}: a cut turn ended as {through[1:]}")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{seen} turns, {len(failures)} failures")
    sys.exit(1 if failures or not seen else 0)


def chat(port, tool, tokens):
    """The arguments that a client puts together, and how the turn ended."""
    question = ASKED[tool["function"]["name"]]
    body = {"messages": [{"role": "user", "content": question}], "max_tokens": tokens, "tools": [tool]}
    arguments, finish = "", None
    for event in events(ask(port, "/v1/chat/completions", body)):
        for choice in event.get("choices", []):
            finish = choice.get("finish_reason") or finish
            for call in choice["delta"].get("tool_calls", []):
                arguments += call["function"].get("arguments", "")
    return arguments, finish


def responses(port, tool, tokens):
    """The arguments, the last event, and the status that it gives the response."""
    function = tool["function"]
    question = ASKED[function["name"]]
    body = {"input": question, "max_output_tokens": tokens, "tools": [{"type": "function"} | function]}
    last = list(events(ask(port, "/v1/responses", body)))[-1]
    response = last.get("response", {})
    calls = [item["arguments"] for item in response.get("output", []) if item["type"] == "function_call"]
    return "".join(calls), last.get("type"), response.get("status")


def ask(port, path, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    if body is None:
        connection.request("GET", path)
    else:
        body |= {"model": "m", "temperature": 0, "stream": True, "cache_prompt": False}
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    answer = connection.getresponse().read().decode()
    connection.close()
    return answer


def events(answer):
    for line in answer.splitlines():
        data = line.removeprefix("data:").strip()
        if line.startswith("data:") and data != "[DONE]":
            yield json.loads(data)


def is_object(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


if __name__ == "__main__":
    main()
