// Runs Node's jsonrepair for the benchmark; the times are taken in here, so that no pipe is in them.
//
// One command a line on stdin, one answer a line on stdout:
//   {"load": text}                 keeps a text; answers its number
//   {"run": [number], "times": n}  repairs these n times; answers nanoseconds
//   {"show": number}               answers what the repair is, or null
import { createInterface } from 'node:readline';

const { jsonrepair } = await import('jsonrepair').catch(() => process.exit(3));
const texts = [];

function answer({ load, run, times, show }) {
  if (load !== undefined) return texts.push(load) - 1;
  if (show !== undefined) {
    try {
      return jsonrepair(texts[show]);
    } catch {
      return null;
    }
  }
  const chosen = run.map((number) => texts[number]);
  const start = process.hrtime.bigint();
  for (let i = 0; i < times; i++) for (const text of chosen) jsonrepair(text);
  return Number(process.hrtime.bigint() - start);
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + '\n');
}
