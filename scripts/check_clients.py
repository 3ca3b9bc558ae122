#!/usr/bin/env python3
"""Lets the official clients judge what `Turn` writes: each reads every streamed case of `testdata/turns.jsonl` from a
loopback server, as it came and as it leaves.

    python3 scripts/check_clients.py --python VENV/bin/python --node-modules FOLDER/node_modules

The Python needs `openai` and `anthropic`, the folder `openai`, `@anthropic-ai/sdk`, `ai` and
`@ai-sdk/openai-compatible`. Prints a table, case by client. Exits 1 where a client that had the right calls before has
others after, or where a client does not get the right calls of a case that is repaired, but for those in `KNOWN`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTOCOLS = ("openai-chat", "openai-responses", "anthropic")
# What every chunk begins with; the cases leave it out.
CHUNK = '{"id":"c","object":"chat.completion.chunk","created":1,"model":"m",'
# What a client makes wrong of a turn that is as it should be, by client and case, with the reason.
KNOWN = {
    # It takes a response that ends as incomplete for an error, with all that came before.
    ("openai-py", "responses-call-with-end-in-a-cut-turn"),
    # A kind that is null later on erases the one that it knows; the stream is as the protocol allows.
    ("openai-py", "chat-type-null-later"),
    # They read no custom tools in a stream.
    ("ai-sdk", "chat-custom-tool-beside"),
    ("openai-node", "chat-custom-tool-beside"),
    ("openai-py", "chat-custom-tool-beside"),
    # They do not take the older form for a call.
    ("ai-sdk", "chat-legacy"),
    ("openai-node", "chat-legacy"),
    ("openai-py", "chat-legacy"),
    # It reads one choice, and takes the calls of all for it.
    ("ai-sdk", "chat-two-choices"),
    ("ai-sdk", "chat-two-choices-intact"),
    # It takes no two items that share the id of a call.
    ("openai-py", "responses-call-id-shared"),
    ("openai-py", "responses-call-id-shared-second-broken"),
    # It takes the byte order mark for a part of the first field's name.
    ("anthropic-py", "anthropic-byte-order-mark"),
    # The arguments that a server's own tool was called with are broken, and not ours to repair.
    ("anthropic-py", "anthropic-server-tool-beside"),
    ("anthropic-ts", "anthropic-server-tool-beside"),
    # It wants the place of an item, which llama.cpp does not give.
    ("openai-node", "responses-no-output-index"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=Path, help="a Python with the clients")
    parser.add_argument("--node-modules", type=Path, help="a folder with the Node clients")
    parser.add_argument("--cases", type=Path, default=ROOT / "testdata/turns.jsonl", help="other cases of the same form")
    options = parser.parse_args()
    cases = [json.loads(line) for line in options.cases.open(encoding="utf-8")]
    streams = ("data:", "event:", ":", "\ufeff")
    cases = [case for case in cases if case["protocol"] in PROTOCOLS and case["stream"].startswith(streams)]
    server = serve(cases)
    jobs = [
        {"case": case["id"], "side": side, "protocol": case["protocol"],
         "url": f"http://127.0.0.1:{server.server_port}/{case['id']}/{side}"}
        for case in cases
        for side in ("before", "after")
    ]
    answers = []
    if options.python:
        answers += run([options.python, ROOT / "scripts/clients/judge.py"], jobs)
    if options.node_modules:
        with tempfile.TemporaryDirectory() as folder:
            script = shutil.copy(ROOT / "scripts/clients/judge.mjs", folder)
            os.symlink(options.node_modules.resolve(), Path(folder) / "node_modules")
            answers += run(["node", script], jobs)
    server.shutdown()
    sys.exit(report(cases, answers))


def serve(cases):
    """A loopback server of both sides of each case."""
    bodies = {}
    for case in cases:
        written = case["stream"] if case["written"] == "same" else case["written"]
        for side, body in (("before", case["stream"]), ("after", written)):
            bodies[f"/{case['id']}/{side}"] = body.replace('{"choices"', CHUNK + '"choices"').encode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = bodies["/".join(self.path.split("/")[:3])]
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def run(command, jobs):
    """What the clients of a program answer to the jobs."""
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    ran = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def outcome(case, answer):
    """`right`, `error`, or what came instead."""
    expected = [(call["name"], call["arguments"]) for call in case["calls"] if call["choice"] == 0]
    if "error" in answer:
        return "error"
    try:
        got = [(name, json.loads(arguments or "{}")) for name, arguments in answer["calls"]]
        wanted = [(name, json.loads(arguments)) for name, arguments in expected]
    except (TypeError, ValueError):
        return "bad"
    if got == wanted:
        return "right"
    return "lost" if len(got) < len(wanted) else "wrong"


def report(cases, answers):
    """Prints the table; answers the exit code."""
    clients = sorted({answer["client"] for answer in answers})
    by_key = {(answer["case"], answer["side"], answer["client"]): answer for answer in answers}
    failures, tally = [], {client: {"before": 0, "after": 0, "of": 0} for client in clients}
    print("| case | " + " | ".join(clients) + " |\n|---|" + "---|" * len(clients))
    for case in cases:
        certain = all(call["verdict"] != "declined" for call in case["calls"]) and case["calls"]
        cells = []
        for client in clients:
            sides = [by_key.get((case["id"], side, client)) for side in ("before", "after")]
            if None in sides:
                cells.append("")
                continue
            before, after = (outcome(case, side) for side in sides)
            cells.append(before if before == after else f"{before} → **{after}**")
            if not certain:
                continue
            tally[client]["of"] += 1
            tally[client]["before"] += before == "right"
            tally[client]["after"] += after == "right"
            if after != "right" and (client, case["id"]) not in KNOWN:
                failures.append(f"{case['id']}: {client}: {after}: {sides[1].get('error', sides[1].get('calls'))}")
        print(f"| {case['id']}{'' if certain else ' (declined)'} | " + " | ".join(cells) + " |")
    for client, count in tally.items():
        print(f"{client}: right {count['before']} → {count['after']} of {count['of']}")
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    main()
