"""The official Python clients: reads jobs, one JSON object a line, and says which calls each client ends up with."""

import json
import sys

import anthropic
import openai

TOOL = {"type": "object", "properties": {}}
NAMES = ["get_weather", "write_file", "add", "list_rooms"]


def chat(url):
    client = openai.OpenAI(base_url=url, api_key="x", max_retries=0)
    tools = [{"type": "function", "function": {"name": name, "parameters": TOOL}} for name in NAMES]
    messages = [{"role": "user", "content": "x"}]
    with client.chat.completions.stream(model="m", messages=messages, tools=tools) as stream:
        for _ in stream:
            pass
        message = stream.get_final_completion().choices[0].message
    return [(call.function.name, call.function.arguments) for call in message.tool_calls or []]


def responses(url):
    client = openai.OpenAI(base_url=url, api_key="x", max_retries=0)
    tools = [{"type": "function", "name": name, "parameters": TOOL, "strict": False} for name in NAMES]
    with client.responses.stream(model="m", input="x", tools=tools) as stream:
        for _ in stream:
            pass
        response = stream.get_final_response()
    return [(item.name, item.arguments) for item in response.output if item.type == "function_call"]


def messages(url):
    client = anthropic.Anthropic(base_url=url, api_key="x", max_retries=0)
    tools = [{"name": name, "input_schema": TOOL} for name in NAMES]
    request = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}], "tools": tools}
    with client.messages.stream(**request) as stream:
        for _ in stream:
            pass
        message = stream.get_final_message()
    return [(block.name, json.dumps(block.input)) for block in message.content if block.type == "tool_use"]


CLIENTS = {"openai-chat": ("openai-py", chat), "openai-responses": ("openai-py", responses), "anthropic": ("anthropic-py", messages)}

for line in sys.stdin:
    job = json.loads(line)
    name, client = CLIENTS[job["protocol"]]
    try:
        answer = {"calls": client(job["url"])}
    except Exception as error:  # whatever a client throws is its answer
        answer = {"error": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps({**job, "client": name, **answer}), flush=True)
