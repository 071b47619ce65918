/** `npm run eval` counts what a model reaches; with --base-url, of the model there. */
import { writeFile } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { START } from '../harness/test-clock.ts';
import { startWire } from '../platforms/fakes/wire.ts';
import { type Model, performWithModel } from './model.ts';
import { type Outcome, reportOf } from './report.ts';
import { openStage } from './stage.ts';
import type { Task } from './task.ts';
import { tasks } from './tasks/index.ts';

const { EVAL_BASE_URL, EVAL_MODEL = 'default', EVAL_API_KEY, EVAL_ONLY = '', EVAL_REPORT } = process.env;

const stage = await openStage();

async function outcomesOf(model: Model, chosen: readonly Task[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const task of chosen) {
    let [calls, tokens] = [0, 0];
    const failure = await stage
      .perform(task, async (client, ask) => {
        const performance = await performWithModel(model, client, ask);
        [calls, tokens] = [performance.calls.length, performance.tokens];
        return performance.reply;
      })
      .then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    outcomes.push({ task: task.id, calls, tokens, failure });
  }
  return outcomes;
}

const named = (...ids: string[]) => tasks.filter(({ id }) => ids.includes(id));

it('counts the tasks that a model does, with its calls and tokens', async () => {
  // It publishes what it is asked for in the sandbox, once, and says so.
  const wire = await startWire({ now: () => START }, ({ json }) => {
    const { messages, tools } = json as { messages: { role: string; content: string }[]; tools: unknown[] };
    expect(tools.length).toBeGreaterThan(10);
    const text = /“([^”]+)”/.exec(messages[1]?.content ?? '')?.[1];
    const isDone = messages.some(({ role }) => role === 'tool');
    const input = { text, connectionSlugs: ['sandbox'], tags: ['sale', 'spring'] };
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'create_post', arguments: JSON.stringify(input) },
    };
    const message = isDone
      ? { role: 'assistant', content: 'It is out.' }
      : { role: 'assistant', content: null, tool_calls: [call] };
    return { status: 200, json: { choices: [{ message }], usage: { total_tokens: 100 } } };
  });
  afterAll(() => wire.close());

  const chosen = named('publish with tags', 'cancel a scheduled post');
  const outcomes = await outcomesOf({ baseUrl: wire.url, name: 'scripted' }, chosen);

  expect(outcomes).toEqual([
    { task: 'publish with tags', calls: 1, tokens: 200, failure: null },
    { task: 'cancel a scheduled post', calls: 1, tokens: 200, failure: expect.stringContaining('posts: ') },
  ]);
  expect(reportOf(outcomes)).toMatch(
    /^passed {2}publish with tags .*FAILED {2}cancel.*1 of 2 passed \(50 %\), 2 calls, 400 tokens$/s,
  );
});

it.runIf(EVAL_BASE_URL !== undefined)('asks the model of --base-url', { timeout: 0 }, async () => {
  const model = {
    baseUrl: EVAL_BASE_URL ?? '',
    name: EVAL_MODEL,
    ...(EVAL_API_KEY !== undefined && { apiKey: EVAL_API_KEY }),
  };
  const chosen = tasks.filter(({ id }) => id.includes(EVAL_ONLY));

  const outcomes = await outcomesOf(model, chosen);

  process.stdout.write(`${reportOf(outcomes)}\n`);
  if (EVAL_REPORT !== undefined) await writeFile(EVAL_REPORT, `${JSON.stringify(outcomes, null, 2)}\n`);
  expect(outcomes).toHaveLength(chosen.length);
});
