#!/usr/bin/env python3
"""Calls that a real model server leaves in the text, directly and through `toolmend serve`, as official clients
see them.

    ../shared/real-model/up.sh FOLDER 18090
    PYTHON scripts/check_live.py --shared ../shared --cli target/release/toolmend --server http://127.0.0.1:18090

PYTHON needs `openai` and `anthropic`. The server is a stock one, without a parser for this model's calls. One
prompt for each of twelve tools is asked for at temperature 0, by the OpenAI client in Chat, streamed and not, and in
Responses, and by Anthropic's client; then with too few tokens. What arrives as a call through the gateway has to be
one that its tool's schema admits (checked with `toolmend args`); with too few tokens none may arrive, and the client
has to be told that the turn was cut where the server tells it. With `--promote off` there is nothing to mend, and
every answer has to be the server's byte for byte. Exits 1 where something is wrong, 2 where something could not be
run.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent))
from check_gateway import Gateway  # noqa: E402
from relay import Relay  # noqa: E402

ENOUGH, FEW = 300, 18
# How the clients call a turn that was cut, and one that was not.
CUT, WHOLE = {"length", "max_tokens", "incomplete"}, {"stop", "end_turn", "completed"}
# At least so many of the twelve prompts have to come through as calls, for each way of asking.
FLOOR = 6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, required=True, help="the folder with real-model/")
    parser.add_argument("--cli", type=Path, required=True, help="the toolmend binary")
    parser.add_argument("--server", required=True, help="the model server's URL")
    options = parser.parse_args()
    try:
        import anthropic
        import openai
    except ImportError as error:
        print(f"!! SKIPPED: {error}")
        sys.exit(2)
    sys.path.insert(0, str(options.shared / "real-model"))
    import prompts

    tools = json.loads((options.shared / "real-model" / "tools.json").read_text(encoding="utf-8"))
    tools = {tool["function"]["name"]: tool for tool in tools}
    asked = {}
    for name, prompt in prompts.PROMPTS:
        asked.setdefault(name, prompt)
    port = urlsplit(options.server).port
    failures = []

    def clients(where):
        url = f"http://127.0.0.1:{where}"
        return (
            openai.OpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0, timeout=300),
            anthropic.Anthropic(base_url=url, api_key="x", max_retries=0, timeout=300),
        )

    ways = [
        ("openai, streamed", streamed), ("openai, whole", whole), ("openai, responses", responses),
        ("anthropic, streamed", messages),
    ]  # fmt: skip
    with Gateway(options.cli, port, "call", "mend", on_cut="relabel") as gateway:
        for label, way in ways:
            made = {"directly": 0, "through": 0}
            for name, prompt in asked.items():
                for kind, where in (("directly", port), ("through", gateway.port)):
                    call, finish = way(clients(where), tools[name], prompt, ENOUGH)
                    made[kind] += call is not None
                    if kind == "through" and call is not None and not admitted(options.cli, tools[name], call):
                        failures.append(f"{label}, {name}: {call} is not admitted")
            print(f"{label}: {made['directly']} calls of {len(asked)} directly, {made['through']} through", flush=True)
            if made["through"] < FLOOR:
                failures.append(f"{label}: {made['through']} calls came through, of at least {FLOOR}")
        for label, way in ways:
            cut = 0
            for name, prompt in asked.items():
                call, ending = way(clients(gateway.port), tools[name], prompt, FEW)
                cut += ending in CUT
                if call is not None:
                    failures.append(f"{label}, {name}, {FEW} tokens: {call} arrived")
                if ending not in CUT | WHOLE:
                    failures.append(f"{label}, {name}, {FEW} tokens: the turn ended as {ending}")
            print(f"{label}, {FEW} tokens: {cut} of {len(asked)} turns end as cut, none as a call", flush=True)
            # Of a cut text this server's Responses say `completed`; without a call, nothing is changed about that.
            if not cut and way is not responses:
                failures.append(f"{label}, {FEW} tokens: no turn ended as cut")
    with (
        Relay(port) as came,
        Gateway(options.cli, came.port, "call", "mend", "relabel", ("--promote", "off")) as gateway,
        Relay(gateway.port) as left,
    ):
        for label, way in ways:
            same = 0
            for name, prompt in asked.items():
                call, _ = way(clients(left.port), tools[name], prompt, ENOUGH)
                same += left.last == came.last
                if call is not None or left.last != came.last:
                    failures.append(f"{label}, {name}: not as the server wrote it: {call or 'the bytes differ'}")
            print(f"{label}, nothing promoted: {same} of {len(asked)} turns byte for byte", flush=True)
    for failure in failures:
        print(f"FAILED: {failure}")
    sys.exit(1 if failures else 0)


def streamed(clients, tool, prompt, tokens):
    """The call that the OpenAI client puts together of a stream, as name and arguments, and the finish reason."""
    name, arguments, finish = "", "", None
    stream = clients[0].chat.completions.create(
        model="qwen", messages=[{"role": "user", "content": prompt}], tools=[tool],
        max_tokens=tokens, temperature=0, stream=True,
    )  # fmt: skip
    for chunk in stream:
        for choice in chunk.choices:
            finish = choice.finish_reason or finish
            for call in choice.delta.tool_calls or []:
                name += call.function.name or ""
                arguments += call.function.arguments or ""
    return ((name, arguments) if name else None), finish


def whole(clients, tool, prompt, tokens):
    """As above, not streamed."""
    answer = clients[0].chat.completions.create(
        model="qwen", messages=[{"role": "user", "content": prompt}], tools=[tool], max_tokens=tokens, temperature=0
    )
    choice = answer.choices[0]
    calls = choice.message.tool_calls or []
    return ((calls[0].function.name, calls[0].function.arguments) if calls else None), choice.finish_reason


def responses(clients, tool, prompt, tokens):
    """As above, in Responses."""
    stream = clients[0].responses.create(
        model="qwen", input=prompt, tools=[{"type": "function"} | tool["function"]],
        max_output_tokens=tokens, temperature=0, stream=True,
    )  # fmt: skip
    *_, last = stream
    calls = [item for item in last.response.output if item.type == "function_call"]
    return ((calls[0].name, calls[0].arguments) if calls else None), last.response.status


def messages(clients, tool, prompt, tokens):
    """As above, by Anthropic's client."""
    function = tool["function"]
    described = {"name": function["name"], "description": function["description"]}
    with clients[1].messages.stream(
        model="qwen", messages=[{"role": "user", "content": prompt}], max_tokens=tokens,
        tools=[described | {"input_schema": function["parameters"]}], extra_body={"temperature": 0},
    ) as stream:  # fmt: skip
        message = stream.get_final_message()
    calls = [block for block in message.content if block.type == "tool_use"]
    return ((calls[0].name, json.dumps(calls[0].input)) if calls else None), message.stop_reason


def admitted(cli, tool, call):
    """Whether this is a call of the tool with arguments that its schema admits as they are."""
    name, arguments = call
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tool.json"
        path.write_text(json.dumps(tool), encoding="utf-8")
        done = subprocess.run([cli, "args", "--tool", path], input=arguments.encode(), stdout=subprocess.PIPE)
    return name == tool["function"]["name"] and done.returncode == 0 and done.stdout.decode() == arguments


if __name__ == "__main__":
    main()
