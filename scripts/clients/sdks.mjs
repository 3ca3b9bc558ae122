// The official Node clients: reads jobs, one JSON object a line, and says which arguments each client hands out, and how
// the turn ended.

import { createInterface } from "node:readline";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, streamText, tool } from "ai";

const name = "weather";
const messages = [{ role: "user", content: "?" }];

async function chat({ base, schema, streamed }) {
  const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: "x", maxRetries: 0 });
  const request = { model: "m", messages, tools: [{ type: "function", function: { name, parameters: schema } }] };
  const { choices } = streamed
    ? await client.chat.completions.stream(request).finalChatCompletion()
    : await client.chat.completions.create(request);
  return [choices[0].message.tool_calls?.[0].function.arguments, choices[0].finish_reason];
}

async function responses({ base, schema, streamed }) {
  const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: "x", maxRetries: 0 });
  const tools = [{ type: "function", name, parameters: schema, strict: false }];
  const request = { model: "m", input: "?", tools };
  const response = streamed
    ? await client.responses.stream(request).finalResponse()
    : await client.responses.create(request);
  return [response.output.find((item) => item.type === "function_call")?.arguments, response.status];
}

async function claude({ base, schema, streamed }) {
  const client = new Anthropic({ baseURL: base, apiKey: "x", maxRetries: 0 });
  const request = { model: "m", max_tokens: 100, messages, tools: [{ name, input_schema: schema }] };
  const message = streamed
    ? await client.messages.stream(request).finalMessage()
    : await client.messages.create(request);
  return [message.content.find((block) => block.type === "tool_use")?.input, message.stop_reason];
}

async function ai({ base, schema, streamed }) {
  const provider = createOpenAICompatible({ name: "x", baseURL: `${base}/v1`, apiKey: "x" });
  const tools = { [name]: tool({ inputSchema: jsonSchema(schema) }) };
  let failed;
  const onError = ({ error }) => (failed = error);
  const request = { model: provider("m"), messages, tools, maxRetries: 0 };
  const result = streamed ? streamText({ ...request, onError }) : await generateText(request);
  const [call] = await result.toolCalls;
  if (failed ?? call?.error) throw failed ?? call.error;
  return [call?.input, await result.finishReason];
}

const clients = { chat, responses, claude, ai };

// A client that throws in a stray promise has failed, and is not to take the others with it.
process.on("unhandledRejection", () => {});
process.on("uncaughtException", () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("no answer")), 5000)));
  const answer = await Promise.race([clients[job.client](job), late]).then(
    ([call, ending]) => ({ arguments: call, ending }),
    (error) => ({ error: `${error?.name}: ${error?.message}`.slice(0, 200) }),
  );
  clearTimeout(timer);
  console.log(JSON.stringify(answer));
}
process.exit(0);
