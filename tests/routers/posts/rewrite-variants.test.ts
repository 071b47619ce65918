/** POST /posts/rewrite with `variants`: several wordings, each checked separately. */
import { beforeEach, describe, expect, it } from 'vitest';
import { startPolishedWorld } from '../../harness/polished-world.ts';
import { startWorld } from '../../harness/world.ts';

const { world, model } = await startPolishedWorld();
const off = await startWorld();

beforeEach(() => {
  model.asked.length = 0;
});

const rewrite = (variants: unknown, text = 'Helo', on = world) =>
  on.rest('POST /posts/rewrite', { body: { text, connectionSlug: on.sandboxSlug, variants } });

/** Answers by the number of the variant in the instructions. */
const answerBy = (answers: readonly string[]) => {
  model.answer = ({ instructions }) => answers[Number(/this is number (\d)/.exec(instructions)?.[1] ?? 1) - 1] ?? '';
};

describe('200', () => {
  it('returns the wordings in order, with a reason for each that was dropped', async () => {
    answerBy(['See https://evil.example', 'Hello', 'Hello', 'Hello @everyone', 'Good day']);

    const { status, body } = await rewrite(5);

    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'rewritten',
      text: 'Hello',
      reason: null,
      variants: [
        { status: 'dropped', text: null, reason: 'The rewrite added a link.' },
        { status: 'rewritten', text: 'Hello', reason: null },
        { status: 'dropped', text: null, reason: 'An earlier variant has the same text.' },
        { status: 'dropped', text: null, reason: 'The rewrite added a mention.' },
        { status: 'rewritten', text: 'Good day', reason: null },
      ],
    });
    expect((await world.rest('GET /posts')).body.posts).toEqual([]);
  });

  it('asks for each wording separately, between different delimiters', async () => {
    answerBy(['Hello', 'Hi', 'Hey']);

    await rewrite(3);

    expect(new Set(model.asked.map(({ boundaries }) => boundaries[0])).size).toBe(3);
    expect(model.asked.map(({ text }) => text)).toEqual(['Helo', 'Helo', 'Helo']);
  });

  it('returns the text and the first reason when every wording is dropped', async () => {
    answerBy(['', 'Hello @everyone']);

    const { body } = await rewrite(2);

    expect(body).toEqual({
      status: 'failed',
      text: 'Helo',
      reason: 'The model answered without a text.',
      variants: [
        { status: 'dropped', text: null, reason: 'The model answered without a text.' },
        { status: 'dropped', text: null, reason: 'The rewrite added a mention.' },
      ],
    });
  });

  it('returns a list of one for 1, and no list when variants is left out', async () => {
    model.answer = () => 'Hello';

    const [one, none] = [await rewrite(1), await rewrite(undefined)];

    const plain = { status: 'rewritten', text: 'Hello', reason: null };
    expect([one.body, none.body]).toEqual([{ ...plain, variants: [plain] }, plain]);
    expect(model.asked).toHaveLength(2);
    expect(model.asked[0]?.instructions).not.toContain('this is number');
  });

  it('says for each that an install has no model', async () => {
    const { body } = await rewrite(2, 'Helo', off);

    const reason = 'AI polish is not set up on this install.';
    const dropped = { status: 'dropped', text: null, reason };
    expect(body).toEqual({ status: 'failed', text: 'Helo', reason, variants: [dropped, dropped] });
  });
});

it.each([0, 6, 1.5, '2'])('400 invalid_request for variants %j', async (variants) => {
  const { status, body } = await rewrite(variants);

  expect([status, body.error]).toEqual([400, 'invalid_request']);
  expect(body.message).toMatch(/^variants: /);
  expect(model.asked).toEqual([]);
});
