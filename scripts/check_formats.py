#!/usr/bin/env python3
"""Reads the shared format cases and the responses of a real model server through `toolmend batch` and `repair`.

    python3 scripts/check_formats.py --shared ../shared --cli target/release/toolmend

Fails when a call is made that must not be made, when what comes out depends on how the text is split, or when
less is right than before. Standard library only. Needs the folder of shared data; see .ci/run.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile

# What must be right at least.
CASES = 387
VALUES = 90
CUT = ("cut", "second parallel call cut")


def batch(cli, records, *flags):
    lines = "\n".join(json.dumps(record, ensure_ascii=True) for record in records)
    run = subprocess.run([cli, "batch", *flags, "-"], input=lines, capture_output=True, text=True, encoding="utf-8")
    if run.returncode not in (0, 1):
        sys.exit(f"toolmend batch ended with {run.returncode}: {run.stderr[-400:]}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def splits(text):
    """The text whole, by characters, and in pieces of all kinds."""
    yield [text]
    yield list(text)
    for seed in range(3):
        rng, at, pieces = random.Random(seed), 0, []
        while at < len(text):
            size = rng.randint(1, 12)
            pieces.append(text[at:at + size])
            at += size
        yield pieces


def same(left, right):
    """Equal as JSON values: 1 is not true, and 1.0 is 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def calls_of(answer):
    return [(call["name"], json.loads(call["arguments"])) for call in answer["calls"]]


def strip(text):
    return (text or "").strip()


def formats(shared, cli, show):
    cases = [json.loads(line) for line in open(os.path.join(shared, "cases", "formats.jsonl"), encoding="utf-8")]
    records, owners = [], []
    for case in cases:
        fault = case.get("fault") or ""
        cut = fault.startswith("cut by") or fault in CUT
        base = {"model": case["model"], "tools": case["tools"], "prefill": case.get("prefill"),
                "finish_reason": "length" if cut else "stop"}
        for pieces in splits(case["content"]):
            records.append({**base, "chunks": pieces})
            owners.append(case)
    right, wrong, harm, split = set(), {}, [], []
    first = {}
    for case, answer in zip(owners, batch(cli, records)):
        name, expect = case["id"], case["expect"]
        whole = first.setdefault(name, answer)
        if answer != whole:
            split.append(name)
        calls = calls_of(answer)
        if "decline" in expect:
            good = not calls
        else:
            wanted = [(call["name"], call["arguments"]) for call in expect["calls"]]
            good = (len(calls) == len(wanted) and all(c[0] == w[0] and same(c[1], w[1]) for c, w in zip(calls, wanted))
                    and strip(answer["content"]) == strip(expect.get("content"))
                    and strip(answer["reasoning"]) == strip(expect.get("reasoning")))
            missing = [c for c in calls if not any(c[0] == w[0] and same(c[1], w[1]) for w in wanted)]
            if missing:
                harm.append(name)
        if "decline" in expect and calls:
            harm.append(name)
        if good:
            right.add(name)
        else:
            wrong.setdefault(name, (case, answer))
    right -= wrong.keys()
    # Nothing is ever made a call where no tool is offered or none may be called.
    for extra in ({"tools": []}, {"tool_choice": "none"}):
        closed = [{"content": case["content"], "model": case["model"], "tools": case["tools"], **extra} for case in cases]
        harm += [case["id"] for case, answer in zip(cases, batch(cli, closed)) if answer["calls"]]
    print(f"format cases: {len(right)} of {len(cases)} right, {len(set(harm))} wrong calls, {len(set(split))} differ by splitting")
    for name, (case, answer) in list(wrong.items())[:show]:
        print("-", name, case.get("policy") or "", "\n   text  ", repr(case["content"][:300]), "\n   wanted", case["expect"],
              "\n   got   ", {key: answer[key] for key in ("content", "reasoning", "calls")})
    for what, names in (("harm", harm), ("split", split)):
        if names:
            print(f"  {what}:", sorted(set(names))[:20])
    return len(right) >= CASES and not harm and not split


def said(path, endpoint, raw):
    """What a recorded response says: its text, whether it has calls of its own, how it ended."""
    if path.endswith(".json"):
        parts = [json.loads(raw)]
    else:
        data = [line[5:].strip() for line in raw.split("\n") if line.startswith("data:")]
        parts = [json.loads(line) for line in data if line != "[DONE]"]
    text, structured, finish, used = "", False, None, None
    for part in parts:
        if endpoint.startswith("/v1/chat"):
            for choice in part.get("choices", []):
                message = choice.get("delta") or choice.get("message") or {}
                text += message.get("content") or ""
                structured |= bool(message.get("tool_calls"))
                finish = choice.get("finish_reason") or finish
            used = (part.get("usage") or {}).get("completion_tokens", used)
        elif endpoint.startswith("/completion"):
            text += part.get("content") or ""
            finish = {"eos": "stop", "word": "stop", "limit": "length"}.get(part.get("stop_type"), finish)
        elif endpoint.startswith("/v1/messages"):
            for block in part["content"] if isinstance(part.get("content"), list) else []:
                text += block.get("text") or ""
                structured |= block.get("type") == "tool_use"
            delta = part.get("delta") or {}
            text += delta.get("text") or ""
            structured |= delta.get("type") == "input_json_delta"
            finish = delta.get("stop_reason") or part.get("stop_reason") or finish
            used = (part.get("usage") or {}).get("output_tokens", used)
        else:
            kind = part.get("type", "")
            text += part["delta"] if kind.endswith("output_text.delta") else ""
            structured |= "function_call" in kind
            response = part.get("response") or (part if part.get("object") == "response" else {})
            if response.get("status") in ("completed", "incomplete"):
                finish = "stop" if response["status"] == "completed" else "length"
                used = (response.get("usage") or {}).get("output_tokens", used)
                for item in response.get("output", []):
                    structured |= item.get("type") == "function_call"
                    if part is response:
                        text += "".join(block.get("text") or "" for block in item.get("content") or [])
    return text, structured, finish, used


def real_model(shared, cli, show):
    rows, tools, traces = recorded(shared)
    records, kept = [], []
    for row in rows:
        if row.get("label", {}).get("channel") != "content":
            continue
        text, structured, finish, used = said(row["file"], row["endpoint"], traces[row["file"]])
        if structured:
            continue
        records.append({"content": text, "model": row["model"], "tools": [tools[name] for name in row["tools"]],
                        "finish_reason": finish, "usage": {"completion_tokens": used, "max_tokens": row["max_tokens"]}})
        kept.append(row)
    right, values, passed, missed = 0, 0, [], []
    for row, record, answer in zip(kept, records, batch(cli, records)):
        expect, calls = row["label"]["expect"], calls_of(answer)
        if expect["kind"] == "decline":
            passed += [row["file"]] if calls else []
            continue
        values += 1
        if len(calls) == 1 and calls[0][0] == expect["tool"] and same(calls[0][1], expect["value"]):
            right += 1
        else:
            missed.append((row, record, answer))
    wrong = [row["file"] for row, _, answer in missed if answer["calls"]]
    print(f"real model: {right} of {values} values right, {len(passed)} of {len(kept) - values} declines passed, {len(wrong)} wrong values")
    for row, record, answer in missed[:show]:
        print("-", row["file"], row["label"]["fault"], repr(record["content"][:400]), "\n   wanted", row["label"]["expect"], "\n   got", answer["calls"])
    if passed:
        print("  passed:", passed)
    return right >= VALUES and not passed and not wrong


def streams(shared, cli):
    """The recorded responses on their way to a client: calls in the words of each protocol, or the same bytes."""
    rows, tools, traces = recorded(shared)
    made, wrong, cut = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        offered = os.path.join(folder, "tools.json")
        for row in rows:
            if row["endpoint"] == "/completion" or row.get("label", {}).get("channel") != "content":
                continue
            with open(offered, "w", encoding="utf-8") as file:
                json.dump([tools[name] for name in row["tools"]], file)
            raw = traces[row["file"]].encode("utf-8")
            told = []
            for size in (1, 1 << 16):
                command = [cli, "repair", "-", "--as", "stream", "--tools", offered, "--max-tokens", str(row["max_tokens"])]
                told.append(subprocess.run([*command, "--chunk", str(size)], input=raw, capture_output=True).stdout)
            cut += [row["file"]] if told[0] != told[1] else []
            _, structured, _, _ = said(row["file"], row["endpoint"], told[1].decode("utf-8"))
            if row["label"]["expect"]["kind"] == "value":
                made += structured
                wrong += [] if structured else [row["file"]]
            elif told[1] != raw:
                wrong.append(row["file"])
    print(f"recorded turns: {made} with their calls, {len(wrong)} wrong, {len(cut)} differ by pieces")
    if wrong or cut:
        print("  wrong:", wrong, "cut:", cut)
    return not wrong and not cut


def recorded(shared):
    """The labelled responses, the tools by name, and what was recorded, by file."""
    folder = os.path.join(shared, "real-model")
    tools = {tool["function"]["name"]: tool for tool in json.load(open(os.path.join(folder, "tools.json"), encoding="utf-8"))}
    rows = [json.loads(line) for line in open(os.path.join(folder, "index.jsonl"), encoding="utf-8")]
    traces = {}
    with tarfile.open(os.path.join(folder, "traces.tar.gz")) as archive:
        for member in archive:
            if member.isfile():
                traces[os.path.basename(member.name)] = archive.extractfile(member).read().decode("utf-8")
    return rows, tools, traces


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--shared", default="../shared")
    options.add_argument("--cli", default="target/release/toolmend")
    options.add_argument("--show", type=int, default=10, help="how many misses to print")
    given = options.parse_args()
    good = formats(given.shared, given.cli, given.show)
    good &= real_model(given.shared, given.cli, given.show)
    good &= streams(given.shared, given.cli)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
