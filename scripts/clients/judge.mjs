// The official Node clients: reads jobs, one JSON object a line, and says which calls each client ends up with.

import { createInterface } from "node:readline";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, streamText, tool } from "ai";

const schema = { type: "object", properties: {} };
const names = ["get_weather", "write_file", "add", "list_rooms"];
const messages = [{ role: "user", content: "x" }];

async function chat(url) {
  const client = new OpenAI({ baseURL: url, apiKey: "x", maxRetries: 0 });
  const tools = names.map((name) => ({ type: "function", function: { name, parameters: schema } }));
  const stream = client.chat.completions.stream({ model: "m", messages, tools });
  const { choices } = await stream.finalChatCompletion();
  return (choices[0].message.tool_calls ?? []).map((call) => [call.function.name, call.function.arguments]);
}

async function responses(url) {
  const client = new OpenAI({ baseURL: url, apiKey: "x", maxRetries: 0 });
  const tools = names.map((name) => ({ type: "function", name, parameters: schema, strict: false }));
  const response = await client.responses.stream({ model: "m", input: "x", tools }).finalResponse();
  return response.output.filter((item) => item.type === "function_call").map((item) => [item.name, item.arguments]);
}

async function claude(url) {
  const client = new Anthropic({ baseURL: url, apiKey: "x", maxRetries: 0 });
  const tools = names.map((name) => ({ name, input_schema: schema }));
  const message = await client.messages.stream({ model: "m", max_tokens: 9, messages, tools }).finalMessage();
  const calls = message.content.filter((block) => block.type === "tool_use");
  return calls.map((block) => [block.name, JSON.stringify(block.input)]);
}

async function ai(url) {
  const provider = createOpenAICompatible({ name: "x", baseURL: url, apiKey: "x" });
  const tools = Object.fromEntries(names.map((name) => [name, tool({ inputSchema: jsonSchema(schema) })]));
  let failed;
  const onError = ({ error }) => (failed = error);
  const result = streamText({ model: provider("m"), messages, tools, maxRetries: 0, onError });
  const calls = (await result.toolCalls).map((call) => {
    if (call.invalid) throw call.error;
    return [call.toolName, JSON.stringify(call.input)];
  });
  if (failed) throw failed;
  return calls;
}

const clients = {
  "openai-chat": [["openai-node", chat], ["ai-sdk", ai]],
  "openai-responses": [["openai-node", responses]],
  anthropic: [["anthropic-ts", claude]],
};

// A client that throws in a stray promise has failed, and is not to take the others with it.
process.on("unhandledRejection", () => {});
process.on("uncaughtException", () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  for (const [client, run] of clients[job.protocol]) {
    let timer;
    const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("no answer")), 5000)));
    const answer = await Promise.race([run(job.url), late]).then(
      (calls) => ({ calls }),
      (error) => ({ error: `${error?.name}: ${error?.message}`.slice(0, 200) }),
    );
    clearTimeout(timer);
    console.log(JSON.stringify({ ...job, client, ...answer }));
  }
}
process.exit(0);
