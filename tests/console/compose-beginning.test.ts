/** Where Compose begins with the post of a request for approval: with the time that was asked for (docs/guide/console.md#write-a-post). */
import { describe, expect, it } from 'vitest';
import { beginningOf, isBegunFrom } from '../../console/app/views/compose/beginning.ts';
import { localTimeOf } from '../../console/app/views/compose/search.ts';
import { startWorld } from '../harness/world.ts';

const HOUR = 3_600_000;
const world = await startWorld();
const { secret: agent } = await world.key({ approval: 'required' });
const key = world.liveKey;
const nowMs = () => world.clock.now().getTime();
const iso = (ms: number) => new Date(nowMs() + ms).toISOString();

/** An agent asks for a post; gives its id, and reads it. */
async function asked(fields: object = {}) {
  const input = { text: 'Ding dnog', connectionSlugs: [world.sandboxSlug], ...fields };
  const { body } = await world.rest('POST /posts', { key: agent, body: input });
  const postId: string = body.results[0].postId;
  return { postId, post: async () => (await world.rest(`GET /posts/${postId}`)).body.post };
}

describe('Compose begins with', () => {
  it('the time that was asked for, without a draft to save', async () => {
    const { post, postId } = await asked({ scheduledFor: iso(24 * HOUR), tags: ['bells'] });

    const begun = beginningOf(await post(), { draft: postId }, nowMs());

    const { plan } = (await post()).approval ?? {};
    expect(plan).toEqual({ scheduledFor: iso(24 * HOUR), queue: false });
    expect(begun).toMatchObject({
      text: 'Ding dnog',
      tags: 'bells',
      when: 'time',
      ...localTimeOf(iso(24 * HOUR)),
      drafts: {},
      savedAs: null,
      approval: { postId, requestedBy: 'A key', plan },
    });
  });

  it.each([
    ['the next free slot', { queue: true }, 'queue'],
    ['now when no time was asked for', {}, 'now'],
    ['now when the time has passed, as approving does', { scheduledFor: iso(HOUR) }, 'now'],
  ])('%s', async (_what, fields, when) => {
    const { post, postId } = await asked(fields);

    const begun = beginningOf(await post(), { draft: postId }, nowMs() + 2 * HOUR);

    expect([begun.when, begun.time]).toEqual([when, '']);
  });

  it('the time of the address, which is newer', async () => {
    const { post, postId } = await asked({ queue: true });

    const begun = beginningOf(await post(), { draft: postId, time: iso(48 * HOUR) }, nowMs());

    expect(begun).toMatchObject({ when: 'time', ...localTimeOf(iso(48 * HOUR)) });
  });

  it('the post again once the agent has asked anew, and else with what was written', async () => {
    const { post, postId } = await asked();
    const begun = beginningOf(await post(), { draft: postId }, nowMs());
    const before = isBegunFrom({ ...begun, text: 'Ding dong' }, await post());
    world.clock.advance(1_000);
    await world.rest(`POST /posts/${postId}/publish`, { key: agent, body: {} });

    expect([before, isBegunFrom(begun, await post())]).toEqual([true, false]);
  });

  it('a draft that is saved again when its request was decided', async () => {
    const { post, postId } = await asked();
    await world.rest(`POST /posts/${postId}/reject`, { key, body: { reason: 'No.' } });
    const { connectionId } = await post();

    const begun = beginningOf(await post(), { draft: postId }, nowMs());

    expect(begun).toMatchObject({ when: 'now', drafts: { [connectionId]: postId }, approval: null });
  });
});
