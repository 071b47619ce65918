/** If the model fails in any way, the original is published immediately, and the caller receives the reason. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { AI_KEY, startPolishedWorld } from '../../harness/polished-world.ts';
import { startWorld, type World } from '../../harness/world.ts';
import { completion, type FakeModel, polished } from '../../platforms/fakes/fake-model.ts';
import { DROPPED } from '../../platforms/fakes/wire.ts';

const { world, model } = await startPolishedWorld();

beforeEach(() => {
  model.asked.length = 0;
  model.answer = ({ text }) => polished(text);
});

async function send(where: World = world) {
  const { key } = await accountWithSandbox(where);
  const { body } = await where.rest('POST /posts', {
    key,
    body: { text: 'Helo', connectionSlugs: ['sandbox'], rewrite: true },
  });
  return { key, result: body.results[0] };
}

const ORIGINAL = { status: 'sent', error: null };
type Answer = ReturnType<FakeModel['answer']>;
const NEVER: Answer = new Promise(() => undefined);
const json = (body: unknown, status = 200): Answer => ({ status, json: body });
const UNREADABLE = 'The AI endpoint gave an answer that cannot be read.';

describe('the original is published', () => {
  it.each<[string, Answer, string]>([
    ['401', json({ error: { message: `bad key ${AI_KEY}` } }, 401), 'The AI endpoint answered HTTP 401.'],
    ['404', json({ error: { message: 'no such model' } }, 404), 'The AI endpoint answered HTTP 404.'],
    ['429', json({ error: {} }, 429), 'The AI endpoint answered HTTP 429.'],
    ['500', json({ error: {} }, 500), 'The AI endpoint answered HTTP 500.'],
    ['503 with a page', { status: 503, text: '<html>' }, 'The AI endpoint answered HTTP 503.'],
    ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'The AI endpoint answered HTTP 307.'],
    ['a cut line', DROPPED, UNREADABLE],
    [
      'half of an answer',
      { status: 200, text: '{"choices":[', headers: { 'content-type': 'application/json' } },
      UNREADABLE,
    ],
    ['a page', { status: 200, text: '<html>Hello</html>', headers: { 'content-type': 'text/html' } }, UNREADABLE],
    ['no choices', json({ ...completion('x'), choices: [] }), UNREADABLE],
    ['another shape', json({ choices: { message: 'Hello' } }), UNREADABLE],
    ['null', json(null), UNREADABLE],
    ['no content', json(completion(null)), UNREADABLE],
    ['too much', json(completion('x'.repeat(600_000))), UNREADABLE],
    [
      'a refusal',
      json(completion(null, 'm', { message: { refusal: 'No.' } })),
      'The model refused to rewrite the text.',
    ],
    [
      'a filter',
      json(completion('', 'm', { finish_reason: 'content_filter' })),
      'The model refused to rewrite the text.',
    ],
    [
      'an end too soon',
      json(completion('Hel', 'm', { finish_reason: 'length' })),
      'The model did not finish the rewrite.',
    ],
  ])('after %s, with one request', async (_name, answer, reason) => {
    model.answer = () => answer;

    const { key, result } = await send();

    expect(result).toMatchObject({ ...ORIGINAL, warning: `${reason} The original text went out.` });
    const { body } = await world.rest(`GET /posts/${result.postId}`, { key });
    expect(body.post).toMatchObject({ text: 'Helo', originalText: 'Helo', aiRewriteStatus: 'failed' });
    expect(model.asked).toHaveLength(1);
  });

  it('after ten seconds without an answer', async () => {
    const hourglass = new AbortController();
    const { clock } = world.context;
    const without = clock.deadline;
    vi.spyOn(clock, 'deadline').mockImplementation((ms) => (ms === 10_000 ? hourglass.signal : without(ms)));
    model.answer = () => {
      hourglass.abort(new DOMException('over', 'TimeoutError'));
      return NEVER;
    };

    const { result } = await send();

    expect(result.warning).toBe('The model did not answer within 10 seconds. The original text went out.');
    vi.restoreAllMocks();
  });

  it('if the SSRF guard blocks the model’s address, and the log says what to allow', async () => {
    const guarded = await startWorld({
      env: { AI_BASE_URL: model.baseUrl, AI_MODEL: 'bell-1', OUTBOUND_ALLOW: '' },
    });
    const warn = vi.spyOn(guarded.context.log, 'warn');

    const { result } = await send(guarded);

    expect(result.warning).toBe('The AI endpoint could not be reached. The original text went out.');
    expect(model.asked).toEqual([]);
    expect(warn.mock.calls[0]?.[0]).toMatchObject({ detail: expect.stringContaining('OUTBOUND_ALLOW') });
  });
});

describe('a model that does not respond', () => {
  it('does not delay posts without polish', async () => {
    const { key } = await accountWithSandbox(world);
    const released = Promise.withResolvers<string>();
    model.answer = () => released.promise;
    const waiting = world.rest('POST /posts', {
      key,
      body: { text: 'Helo', connectionSlugs: ['sandbox'], rewrite: true },
    });
    await vi.waitFor(() => expect(model.asked).toHaveLength(1));

    const { body } = await world.rest('POST /posts', { key, body: { text: 'Now', connectionSlugs: ['sandbox'] } });
    released.resolve('Hello');

    expect(body.results).toMatchObject([{ status: 'sent' }]);
    expect((await waiting).body.results).toMatchObject([{ status: 'sent' }]);
  });

  it('delays the stop of the process until its request ends', async () => {
    const { key } = await accountWithSandbox(world);
    const released = Promise.withResolvers<string>();
    model.answer = () => released.promise;
    const waiting = world.rest('POST /posts', {
      key,
      body: { text: 'Helo', connectionSlugs: ['sandbox'], rewrite: true },
    });
    await vi.waitFor(() => expect(model.asked).toHaveLength(1));
    let isDrained = false;
    const drained = world.context.sends.drained().then(() => (isDrained = true));

    const before = isDrained;
    released.resolve('Hello');
    await drained;

    expect(before).toBe(false);
    expect((await waiting).body.results).toMatchObject([{ status: 'sent' }]);
  });
});

describe('a model server without an API key', () => {
  it('receives no key', async () => {
    const keyless = await startWorld({ env: { AI_BASE_URL: `${model.baseUrl}/`, AI_MODEL: 'bell-1' } });
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-another-program');
    vi.stubEnv('OPENAI_ORG_ID', 'org-of-another-program');

    const { result } = await send(keyless);

    expect(result).not.toHaveProperty('warning');
    expect(model.asked).toMatchObject([{ authorization: undefined }]);
    vi.unstubAllEnvs();
  });
});
