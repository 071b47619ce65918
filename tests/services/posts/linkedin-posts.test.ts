/**
 * LinkedIn posts through the REST API: images, first comments, and unknown outcomes that LinkedIn's duplicate error
 * resolves.
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { UUID } from '../../harness/expected.ts';
import { plain } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeLinkedIn } from '../../platforms/fakes/fake-linkedin.ts';

const linkedin = await startFakeLinkedIn({ now: () => world.clock.now() });
afterAll(() => linkedin.close());
const world = await startWorld({ env: { LINKEDIN_API_URL: linkedin.url } });
const alice = linkedin.addMember('a1B2', 'Alice', 'token-of-alice');
alice.roles.set('11', 'ADMINISTRATOR');
linkedin.addPage('11', 'The Bells', 'the-bells');
for (const credentials of [{}, { organizationId: '11' }]) {
  await world.rest('POST /connections', {
    body: { platformId: 'linkedin', credentials: { accessToken: 'token-of-alice', ...credentials } },
  });
}

async function post(text: string, more: object = {}, slug = 'linkedin-alice') {
  const body = { text, connectionSlugs: [slug], ...more };
  return (await world.rest('POST /posts', { body })).body.results[0];
}

const retry = async (postId: string, body: object = {}) => world.rest(`POST /posts/${postId}/retry`, { body });
const attempts = async (postId: string) => (await world.rest(`GET /posts/${postId}/attempts`)).body.attempts;
const steps = async (postId: string): Promise<string[]> =>
  (await attempts(postId)).map(({ step, state }: Record<string, string>) => `${step} ${state}`);
const existing = (text: string) => linkedin.posts().filter((one) => one.text === text);

beforeEach(() => {
  linkedin.faults.length = 0;
});

it('the fragment of a link is no hashtag', async () => {
  const text = 'Read https://bells.example/#section #bells';

  await post(text);

  expect(existing(text).map(({ commentary }) => commentary)).toEqual([
    String.raw`Read https://bells.example/\#section #bells`,
  ]);
});

describe('images', () => {
  it('arrive with their alt texts, in a type that LinkedIn accepts', async () => {
    const raw = await plain(30, 20).webp().toBuffer();
    const headers = { 'content-type': 'image/webp' };
    const { body } = await world.rest('POST /media?altText=A%20bell', { raw, headers });

    const result = await post('look', { mediaIds: [body.media.id] }, 'linkedin-the-bells');

    const [image] = linkedin.images();
    expect([result.status, image?.owner]).toEqual(['sent', 'urn:li:organization:11']);
    expect(image?.type).toMatch(/^image\/(png|jpeg)$/);
    expect(existing('look')[0]?.images).toEqual([{ id: image?.id, altText: 'A bell' }]);
  });
});

describe('a first comment', () => {
  it.each(['linkedin-alice', 'linkedin-the-bells'])('is under the post of %s, and is deleted with it', async (slug) => {
    const result = await post('with a comment', { firstComment: 'details: (all) of them' }, slug);
    const [head] = existing('with a comment');
    const under = linkedin.comments().map(({ postUrn, text }) => [postUrn, text]);
    await world.rest(`DELETE /posts/${result.postId}`);

    expect(result).toEqual({
      connectionSlug: slug,
      status: 'sent',
      postId: UUID,
      url: `https://www.linkedin.com/feed/update/${head?.urn}/`,
      scheduledFor: null,
      threadCount: 0,
      hasFirstComment: true,
      error: null,
    });
    expect(under).toEqual([[head?.urn, 'details: (all) of them']]);
    expect(await steps(result.postId)).toEqual([
      'head accepted',
      'first_comment accepted',
      'delete accepted',
      'delete accepted',
    ]);
    expect([linkedin.comments(), existing('with a comment')]).toEqual([[], []]);
  });

  it('does not fail the post when the app is not allowed to comment', async () => {
    const denied = { status: 403, json: { message: 'Not enough permissions to access: socialActions' } };
    linkedin.faults.push(undefined, denied);

    const result = await post('alone', { firstComment: 'details' });

    expect([result.status, result.hasFirstComment, result.error]).toEqual(['sent', false, null]);
    expect((await attempts(result.postId))[1].error.code).toBe('reconnect_required');
  });
});

describe('an answer that is lost', () => {
  it('leaves the outcome of a member’s post unknown', async () => {
    linkedin.faults.push('drops_after');

    const result = await post('lost, of a member');

    expect([result.status, result.error.code, existing('lost, of a member').length]).toEqual([
      'failed',
      'outcome_unknown',
      1,
    ]);
  });

  it('is recovered for a page, whose posts LinkedIn lists', async () => {
    linkedin.faults.push('drops_after');

    const result = await post('lost, of a page', {}, 'linkedin-the-bells');

    expect([result.status, existing('lost, of a page').length]).toEqual(['sent', 1]);
  });
});

describe('a forced retry after an unknown outcome', () => {
  it('finds the post when LinkedIn refuses it as a duplicate, and does not create it twice', async () => {
    linkedin.faults.push('drops_after');
    const { postId } = await post('unknown, and up');
    world.clock.advance(3_600_000);

    const { body } = await retry(postId, { force: true });

    const [made, ...more] = existing('unknown, and up');
    expect([body.result.status, body.result.url, more]).toEqual([
      'sent',
      `https://www.linkedin.com/feed/update/${made?.urn}/`,
      [],
    ]);
    expect(await steps(postId)).toEqual(['head unknown', 'head accepted']);
  });

  it('creates the post if it was not published', async () => {
    linkedin.faults.push('drops_before');
    const { postId } = await post('unknown, and not up');

    const { body } = await retry(postId, { force: true });

    expect([body.result.status, existing('unknown, and not up').length]).toEqual(['sent', 1]);
  });

  it('fails when the duplicate is an older post', async () => {
    await post('said before');
    world.clock.advance(3_600_000);
    linkedin.faults.push('drops_before');
    const { postId } = await post('said before');

    const { body } = await retry(postId, { force: true });

    expect([body.result.status, body.result.error.code]).toEqual(['failed', 'platform_rejected']);
    expect(body.result.error.message).toMatch(/^LinkedIn refused: Content is a duplicate of urn:li:share:\d+$/);
  });

  it('does not treat a duplicate error as proof if the outcome was known', async () => {
    await post('twice');

    const second = await post('twice');

    expect([second.status, second.error.code]).toEqual(['failed', 'platform_rejected']);
  });
});
