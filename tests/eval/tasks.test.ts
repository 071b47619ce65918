/** Each of a hundred written tasks can be done by a careful reader, and wrong calls lead to the right ones. */
import { describe, expect, it } from 'vitest';
import { Reader } from './reader.ts';
import { openStage } from './stage.ts';
import { tasks } from './tasks/index.ts';

/** Most characters of one answer, about 3,000 tokens (docs/guide/agents.md). */
const ANSWER_MAX = 12_000;

const stage = await openStage();

it('there are at least a hundred tasks, each with its own name', () => {
  expect(tasks.length).toBeGreaterThanOrEqual(100);
  expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
});

describe('a careful reader can', () => {
  it.each(tasks)('$id', async (task) => {
    await stage.perform(task, async (client, ask, { solve }, values) => {
      const reader = await Reader.of(client, ask);
      const reply = (await solve(reader, values)) ?? '';
      expect(reader.calls.filter(({ characters }) => characters > ANSWER_MAX)).toEqual([]);
      return reply;
    });
  });
});
