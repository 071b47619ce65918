/** The logic of the console's browser code, tested without a browser: text length, and sending exactly once. */
import { describe, expect, it } from 'vitest';
import { type Api, CallFailure, type Connection, type CreatePostInput } from '../../console/assets/app/api.ts';
import { sendPost } from '../../console/assets/app/send-post.ts';
import { textLength } from '../../console/assets/app/text-length.ts';
import { countText } from '../../platforms/text.ts';

describe('textLength', () => {
  it.each([
    '',
    'Ding',
    'Gr\u00fc\u00dfe',
    'e\u0301',
    '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}',
    'a\r\nb',
    '\u{1F1EB}\u{1F1F7}',
    '\u65E5\u672C \u201Cso\u201D\u2026 \uD55C \u{1F514}',
  ])('counts %j as the platforms do', (text) => {
    for (const unit of ['graphemes', 'characters', 'utf16', 'weighted'] as const) {
      expect(textLength(text, unit)).toBe(countText(text, { maxLength: 500, unit }));
    }
  });
});

describe('sendPost', () => {
  const connections = [
    { slug: 'mine', profileId: null },
    { slug: 'mine-2', profileId: null },
    { slug: 'theirs', profileId: 'p' },
  ] as Connection[];
  const sending = { text: 'Ding', connections, wallTime: null, timezone: 'Europe/Paris' };

  /** A service that answers each call with the next scripted answer. */
  function fakeApi(...answers: (Error | null)[]) {
    const calls: CreatePostInput[] = [];
    const mutate = async (_resource: string, _name: string, input: CreatePostInput) => {
      calls.push(input);
      const answer = answers.shift() ?? null;
      if (answer !== null) throw answer;
      return { results: input.connectionSlugs.map((connectionSlug) => ({ connectionSlug })) };
    };
    return { api: { mutate } as unknown as Api, calls };
  }

  it('sends one request per profile, and merges the results', async () => {
    const { api, calls } = fakeApi();

    const results = await sendPost(api, { ...sending, wallTime: '2026-11-22T09:30' });

    expect(results.map(({ connectionSlug }) => connectionSlug)).toEqual(['mine', 'mine-2', 'theirs']);
    expect(calls.map(({ idempotencyKey: _key, ...call }) => call)).toEqual([
      { text: 'Ding', connectionSlugs: ['mine', 'mine-2'], scheduledFor: '2026-11-22T09:30', timezone: 'Europe/Paris' },
      {
        text: 'Ding',
        connectionSlugs: ['theirs'],
        scheduledFor: '2026-11-22T09:30',
        timezone: 'Europe/Paris',
        profileId: 'p',
      },
    ]);
  });

  it.each([
    ['a lost answer', null],
    ['a fault of the service', 'internal_server_error'],
    ['a first request that still runs', 'idempotency_key_conflict'],
  ])('repeats the same idempotency key after %s', async (_case, code) => {
    const { api, calls } = fakeApi(new CallFailure(code, 'No.', null));
    const mine = { ...sending, text: `after ${code}`, connections: connections.slice(0, 1) };

    await expect(sendPost(api, mine)).rejects.toThrow('No.');
    await sendPost(api, mine);
    await sendPost(api, mine);

    const [first, second, third] = calls.map(({ idempotencyKey }) => idempotencyKey);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('uses a new key after a refusal, and for any other input', async () => {
    const { api, calls } = fakeApi(new CallFailure('invalid_request', 'No.', null), new CallFailure(null, 'No.', null));
    const mine = { ...sending, text: 'refused', connections: connections.slice(0, 1) };

    await expect(sendPost(api, mine)).rejects.toThrow('No.');
    await expect(sendPost(api, mine)).rejects.toThrow('No.');
    await sendPost(api, { ...mine, text: 'changed' });

    expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
  });
});
