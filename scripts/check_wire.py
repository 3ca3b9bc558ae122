#!/usr/bin/env python3
"""Runs `toolmend repair` over the recorded and re-created turns that lie beside the checkout.

    python3 scripts/check_wire.py --shared ../shared --cli target/release/toolmend

Every case is read (`--as turn`) and passed through (`--as stream`) in pieces of several sizes and with both
ways of holding. Checked: the expected calls, or that none is let through where declining is expected; that
what leaves does not depend on the pieces, and reads as the expected calls; that guards and recordings leave
byte for byte. Exits 1 where something is wrong, 2 where something could not be run.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = (1, 2, 3, 5, 7, 4096)
HOLDS = ("call", "deviation")
# Calls that are written into the text: reading those is not this program's work yet.
IN_TEXT = {"w055", "w056", "w057", "w101"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, required=True, help="the folder with cases/ and recordings/")
    parser.add_argument("--cli", type=Path, required=True, help="the toolmend binary")
    parser.add_argument("--case", help="only this case; shows what leaves")
    options = parser.parse_args()
    with (options.shared / "cases" / "wire.jsonl").open(encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            if case["id"] not in IN_TEXT and options.case in (None, case["id"]):
                failures += check_case(options, Path(folder), case)
        recordings = sorted(
            path
            for path in (options.shared / "recordings").iterdir()
            if path.suffix in (".sse", ".txt") or path.name.endswith(".jsonl") and path.name != "index.jsonl"
        )
        for path in recordings if options.case is None else []:
            failures += check_untouched(options, path.name, path)
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(cases) - len(IN_TEXT)} cases, {len(recordings)} recordings, {len(failures)} failures")
    sys.exit(1 if failures else 0)


def check_case(options, folder, case):
    """One case: answers what is wrong with it."""
    recording, tools = folder / "turn", folder / "tools.json"
    recording.write_bytes(case["stream"].encode("utf-8", "surrogatepass"))
    tools.write_text(json.dumps(case["tools"]), encoding="utf-8")
    where, failures = f"{case['id']} ({case['fault']})", []
    turn = read(options, recording, tools)
    failures += [f"{where}: read: {wrong}" for wrong in objections(case, turn)]
    if case["fault"].startswith("guard"):
        failures += check_untouched(options, where, recording, tools)
    for hold in HOLDS:
        written = {size: write(options, recording, tools, hold, size) for size in SIZES}
        if len(set(written.values())) > 1:
            failures.append(f"{where}: what leaves depends on the pieces ({hold})")
        if options.case:
            print(f"--- {hold}\n{written[4096].decode()}")
        again = folder / "again"
        again.write_bytes(written[4096])
        turn = read(options, again, tools)
        failures += [f"{where}: written ({hold}): {wrong}" for wrong in objections(case, turn)]
        if "calls" in case["expect"]:
            failures += [f"{where}: written ({hold}): {wrong}" for wrong in envelope(case, written[4096])]
    return failures


def check_untouched(options, where, recording, tools=None):
    """A turn that nothing is wrong with leaves byte for byte."""
    original = recording.read_bytes()
    return [
        f"{where}: not byte for byte in pieces of {size} ({hold})"
        for hold in HOLDS
        for size in SIZES
        if write(options, recording, tools, hold, size) != original
    ]


def objections(case, turn):
    """What is wrong with a turn that was read."""
    expect = case["expect"]
    calls = turn.get("calls", []) if turn else []
    good = [call for call in calls if call["verdict"] != "declined"]
    if "decline" in expect:
        return [f"let through: {call['name']} {call['arguments']}" for call in good]
    if turn is None:
        return ["it cannot be read"]
    wrong = []
    for choice, expected in enumerate(expect.get("choices", [expect])):
        own = [call for call in good if call["choice"] == choice] if "choices" in expect else good
        got = [(call["name"], json.loads(call["arguments"])) for call in own]
        wanted = [(call["name"], call["arguments"]) for call in expected["calls"]]
        if got != wanted:
            wrong.append(f"calls {got} instead of {wanted}, of {calls}")
    if "finish_reason" in expect and turn["finish_reason"] != expect["finish_reason"]:
        wrong.append(f"finish reason {turn['finish_reason']} instead of {expect['finish_reason']}")
    if "content" in expect and turn["content"] != expect["content"]:
        wrong.append(f"content {turn['content']!r} instead of {expect['content']!r}")
    return wrong


def envelope(case, written):
    """What clients cannot take about the envelope of streamed OpenAI chunks: ids, names and numbers."""
    if case["protocol"] != "openai-chat" or not written.lstrip().startswith((b"data", b":", b"event")):
        return []
    if case["fault"].startswith("guard") or "declined" in case["expect"]:
        return []
    wrong, seen = [], {}
    for line in written.decode().splitlines():
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data.startswith("[DONE]"):
            continue
        try:
            chunk = json.loads(data)
        except ValueError:
            wrong.append(f"an event is not JSON: {data[:60]!r}")
            continue
        for choice in chunk.get("choices", []):
            for entry in choice.get("delta", {}).get("tool_calls", []):
                index = entry.get("index")
                if index not in seen and index != len(seen):
                    wrong.append(f"index {index} comes as number {len(seen)}")
                call = seen.setdefault(index, {"id": "", "name": "", "type": "", "arguments": ""})
                function = entry.get("function", {})
                for key, value in (("id", entry.get("id")), ("name", function.get("name"))):
                    if value and call[key] and value != call[key]:
                        wrong.append(f"a second {key}: {value!r}")
                    call[key] = call[key] or value or ""
                call["type"] = entry.get("type") or call["type"]
                if not isinstance(function.get("arguments", ""), str):
                    wrong.append("arguments that are no text")
                else:
                    call["arguments"] += function.get("arguments", "")
    wrong += [f"a call without {key}" for call in seen.values() for key in ("id", "name", "type") if not call[key]]
    return wrong


def read(options, recording, tools):
    """The turn as JSON; None where there is none."""
    ran = run(options, [recording, "--as", "turn", "--tools", tools])
    return json.loads(ran.stdout) if ran.returncode in (0, 1) else None


def write(options, recording, tools, hold, size):
    """What leaves."""
    command = [recording, "--as", "stream", "--hold", hold, "--chunk", str(size)]
    ran = run(options, command + (["--tools", tools] if tools else []))
    if ran.returncode not in (0, 1):
        print(f"error: {recording.name}: {ran.stderr.decode().strip()}", file=sys.stderr)
        sys.exit(2)
    return ran.stdout


def run(options, arguments):
    return subprocess.run([options.cli, "repair", *arguments], capture_output=True, check=False)


if __name__ == "__main__":
    main()
