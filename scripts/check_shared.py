#!/usr/bin/env python3
"""Runs `toolmend batch` over the fault corpus and the cases that lie beside the checkout, and scores it.

    python3 scripts/check_shared.py --shared ../shared --cli target/release/toolmend

The corpus is made anew for every seed (`evalkit/corrupt.py`) and judged by `evalkit/score.py`; nothing is
written into the shared folder. Bodies are given twice: alone, where only what is certain from the text
counts, and with their tool, where everything does. Exits 1 where a bar is missed, 2 where something could
not be run.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

SEEDS = range(1000, 1005)
CASES_A_SEED = 6000
# Text rescue in percent that must be reached: faults one by one, and several in one body.
BARS = {"single": 98.0, "compound": 97.0}
# Rescue in percent with the tool's schema, over all seeds together.
SCHEMA_BARS = {"single": 99.0, "compound": 98.0}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, required=True, help="the folder with evalkit/ and cases/")
    parser.add_argument("--cli", type=Path, required=True, help="the toolmend binary")
    parser.add_argument("--count", type=int, default=CASES_A_SEED, help="cases a seed")
    options = parser.parse_args()
    sys.path.insert(0, str(options.shared / "evalkit"))
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in BARS:
            right = certain = 0
            for seed in SEEDS:
                cases = corpus(options, seed, kind)
                failures += check_text(options, Path(folder), seed, kind, cases)
                tally = check_schema(options, Path(folder), seed, kind, cases, failures)
                right, certain = right + tally[0], certain + tally[1]
            rescue = 100 * right / certain
            print(f"with the tool, {kind}: rescue {rescue:.2f} % over {len(SEEDS)} seeds")
            if rescue < SCHEMA_BARS[kind]:
                failures.append(f"with the tool, {kind}: rescue {rescue:.2f} % is below {SCHEMA_BARS[kind]} %")
        failures += check_bodies(options, Path(folder))
    for failure in failures:
        print(f"FAILED: {failure}")
    sys.exit(1 if failures else 0)


def corpus(options, seed, kind):
    """The cases of one seed."""
    evalkit = options.shared / "evalkit"
    command = [sys.executable, "-B", evalkit / "corrupt.py", "--truth", evalkit / "truth.jsonl"]
    command += ["--seed", str(seed), "--count", str(options.count)]
    command += ["--compound"] if kind == "compound" else []
    made = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    cases = [json.loads(line) for line in made.splitlines()]
    # Cases of shape "envelope" concern assistant text, not bodies.
    return [case for case in cases if case["shape"] == "args"]


def check_schema(options, folder, seed, kind, cases, failures):
    """One seed with the tools: adds what is wrong to `failures`, answers how many are right and certain."""
    import score

    records = ({**record(case), "tool": case["tool"]} for case in cases)
    rows, groups = score.score(cases, batch(options, folder, records))
    everything = groups["all"]
    print(
        f"seed {seed} {kind:8}  with the tool: rescue {everything['rescue']:6.2f} %  wrong {everything['WRONG']}",
        flush=True,
    )
    for case, outcome, _ in rows:
        if outcome == "WRONG":
            failures.append(f"seed {seed} {kind}, with the tool: {case['id']} ({case['fault']}): {case['input']!r}")
    right = sum(outcome == "right" and case["expect"]["kind"] == "value" for case, outcome, _ in rows)
    return right, everything["certain"]


def check_text(options, folder, seed, kind, cases):
    """One seed, bodies alone: answers what is wrong with the score."""
    import score

    rows, groups = score.score(cases, batch(options, folder, map(record, cases)))

    everything = groups["all"]
    no_fault = groups.get("no_fault", {"n": 0, "right": 0})
    cut = groups.get("must_decline/cut", {"WRONG": 0})
    print(
        f"seed {seed} {kind:8}  text rescue {everything['rescue_text']:6.2f} %  altered {everything['altered']}"
        f"  guessed {everything['guessed']}  cut words returned {cut['WRONG']}"
        f"  intact {no_fault['right']} of {no_fault['n']}",
        flush=True,
    )
    where = f"seed {seed} {kind}"
    failures = []
    if everything["rescue_text"] < BARS[kind]:
        failures.append(f"{where}: text rescue {everything['rescue_text']} % is below {BARS[kind]} %")
    if no_fault["right"] != no_fault["n"]:
        failures.append(f"{where}: {no_fault['n'] - no_fault['right']} intact bodies are not byte for byte")
    for case, outcome, _ in rows:
        certain = case["expect"]["kind"] != "decline"
        if outcome == "WRONG" and (certain or score.reason(case) == "cut"):
            what = "another value" if certain else "cut words were returned"
            failures.append(f"{where}: {case['id']} ({case['fault']}): {what}: {case['input']!r}")
    return failures


def check_bodies(options, folder):
    """`cases/bodies.jsonl`: no wrong value, and every certain one right."""
    path = options.shared / "cases" / "bodies.jsonl"
    with path.open(encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    answers = batch(options, folder, map(record, cases))
    failures = [
        f"bodies.jsonl, {case['id']}: {wrong}"
        for case in cases
        if (wrong := objection(case, answers.get(case["id"], {})))
    ]
    print(f"bodies.jsonl: {len(cases) - len(failures)} of {len(cases)} right")
    return failures


def objection(case, answer):
    """What is wrong with an answer; None where nothing is."""
    import score

    expect = case["expect"]
    if not answer.get("ok"):
        if expect["kind"] == "decline" or expect.get("decline_ok"):
            return None
        return f"declined ({answer.get('reason', answer.get('error'))}) though it is certain"
    if expect["kind"] == "decline":
        return f"not declined: {answer['output']!r}"
    if answer["output"] == expect.get("text"):
        return None
    valid, value, _ = score.load(answer["output"])
    if not valid or "value" not in expect or not score.eq(value, score.exact(expect["value"])):
        return f"another value: {answer['output']!r}"
    if "text" in expect and lexemes(answer["output"]) != lexemes(expect["text"]):
        return f"a number is written in another way: {answer['output']!r}"
    return None


def lexemes(text):
    """The value of a text with its numbers as they are written."""
    return json.loads(text, parse_int=lambda digits: ["number", digits], parse_float=lambda digits: ["number", digits])


def record(case):
    """The record of `toolmend batch` for a case; a finish reason of null means that the stream broke."""
    made = {"id": case["id"], "arguments": case["input"]}
    if "finish_reason" in case:
        made["finish_reason"] = case["finish_reason"]
    return made


def batch(options, folder, records):
    """The answers of `toolmend batch`, by id."""
    source, answers = folder / "in.jsonl", folder / "out.jsonl"
    with source.open("w", encoding="utf-8") as lines:
        for made in records:
            lines.write(json.dumps(made) + "\n")
    ran = subprocess.run([options.cli, "batch", source, "-o", answers], stderr=subprocess.PIPE, text=True)
    # 1 says that some were declined, which is as it should be.
    if ran.returncode not in (0, 1):
        print(f"error: toolmend batch ended with {ran.returncode}: {ran.stderr.strip()}", file=sys.stderr)
        sys.exit(2)
    with answers.open(encoding="utf-8") as lines:
        return {answer.get("id"): answer for answer in map(json.loads, lines)}


if __name__ == "__main__":
    main()
