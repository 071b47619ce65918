/** X posts through the REST API: images within X's limits, and unknown outcomes that X's refusal of a duplicate resolves. */
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { plain } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeX } from '../../platforms/fakes/fake-x.ts';
import type { Fault, WireAnswer } from '../../platforms/fakes/wire.ts';

const x = await startFakeX({ now: () => world.clock.now() });
afterAll(() => x.close());
const world = await startWorld({ env: { X_API_URL: x.url } });
x.addAccount('alice', 'token-of-alice');
await world.rest('POST /connections', { body: { platformId: 'x', credentials: { accessToken: 'token-of-alice' } } });

const OUTAGE: WireAnswer = { status: 503, json: {} };

async function post(text: string) {
  return (await world.rest('POST /posts', { body: { text, connectionSlugs: ['x-alice'] } })).body.results[0];
}

/** A post whose answer was lost, while X did not list the posts of the account. */
async function withUnknownOutcome(text: string, fault: Fault): Promise<string> {
  x.faults.push(fault);
  x.answers['GET /2/users/:id/tweets'] = [OUTAGE, OUTAGE];
  const { postId, error } = await post(text);
  x.answers['GET /2/users/:id/tweets'] = [];
  world.clock.advance(3_600_000);
  expect(error.code).toBe('outcome_unknown');
  return postId;
}

const force = async (postId: string) =>
  (await world.rest(`POST /posts/${postId}/retry`, { body: { force: true } })).body.result;
const existing = (text: string) => x.posts().filter((one) => one.text === text);

describe('a forced retry after an unknown outcome', () => {
  it('finds the post when X refuses it as a duplicate', async () => {
    const postId = await withUnknownOutcome('unknown, and up: example.com', 'drops_after');

    const { status, url, error } = await force(postId);

    const [made, ...more] = existing('unknown, and up: example.com');
    expect([status, url, error, more]).toEqual(['sent', `https://x.com/alice/status/${made?.id}`, null, []]);
    await world.rest(`DELETE /posts/${postId}`);
    expect(existing('unknown, and up: example.com')).toEqual([]);
  });

  it('creates the post if it was not published', async () => {
    const postId = await withUnknownOutcome('unknown, and not up', 'drops_before');

    const { status } = await force(postId);

    expect([status, existing('unknown, and not up').length]).toEqual(['sent', 1]);
  });

  it('fails when the duplicate is an older post', async () => {
    await post('said before');
    world.clock.advance(3_600_000);
    const postId = await withUnknownOutcome('said before', 'drops_before');

    const { status, error } = await force(postId);

    expect([status, error.code]).toEqual(['failed', 'platform_rejected']);
    expect(error.message).toContain('duplicate content');
  });

  it('stays unknown when X refuses a duplicate and does not list the posts of the account', async () => {
    const postId = await withUnknownOutcome('unknown for good', 'drops_after');
    x.answers['GET /2/users/:id/tweets'] = [OUTAGE, OUTAGE, OUTAGE];

    const { status, error } = await force(postId);

    expect([status, error.code]).toEqual(['failed', 'outcome_unknown']);
  });
});

it('a refused duplicate is no proof of a post whose outcome was known', async () => {
  await post('twice');

  const { status, error } = await post('twice');

  expect([status, error.code]).toEqual(['failed', 'platform_rejected']);
});

it.each([
  [8_192, 16, 8_192, 16],
  [9_000, 90, 8_192, 81],
  [90, 9_000, 81, 8_192],
])('an image of %i by %i pixels is sent with %i by %i', async (width, height, ...expected) => {
  const raw = await plain(width, height).png().toBuffer();
  const { media } = (await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } })).body;

  const { body } = await world.rest('POST /posts', {
    body: { text: `${width} by ${height}`, connectionSlugs: ['x-alice'], mediaIds: [media.id] },
  });

  expect(body.results[0].status).toBe('sent');
  const sides = await sharp(x.images().at(-1)?.bytes).metadata();
  expect([sides.width, sides.height]).toEqual(expected);
});
