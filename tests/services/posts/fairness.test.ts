/** Fairness: thousands of due posts of one connection or account do not delay the few posts of others. */
import { afterEach, describe, expect, it } from 'vitest';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** More than one tick claims. */
const BACKLOG = 1_100;

/** The part of the sandbox's concurrency limit that one account may use. */
const ACCOUNT_SHARE = 100;

/** Schedules a post in a minute, and the requested number of copies. */
async function backlog(posts: number) {
  const account = await accountWithSandbox(world);
  const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
  const { postId } = await makePost(world, 'sandbox', { key: account.key, scheduledFor });
  await world.sql(
    `insert into posts select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).*
     from posts p, generate_series(2, $2) where p.id = $1`,
    [postId, posts],
  );
  return account;
}

/** Schedules a post of another account that falls due a second after the backlog. */
async function lateComer() {
  const { key } = await accountWithSandbox(world);
  const scheduledFor = new Date(world.clock.now().getTime() + 61_000).toISOString();
  return makePost(world, 'sandbox', { key, scheduledFor });
}

async function claim(options?: Parameters<typeof claimDueSends>[1]) {
  const { sends } = await claimDueSends(world.context, options);
  const settled = Promise.all(sends.map((send) => world.context.sends.send(send)));
  await settled;
  return sends.map(({ post }) => post);
}

describe('a post of another account', () => {
  afterEach(async () => {
    await world.sql(`delete from posts where status = 'scheduled'`);
  });

  it('is sent with the first posts of a backlog that fell due before it', async () => {
    const { id: accountId } = await backlog(BACKLOG);
    const { postId } = await lateComer();
    world.clock.advance(61_000);

    const claimed = await claim();

    expect(claimed.filter((post) => post.accountId === accountId)).toHaveLength(ACCOUNT_SHARE);
    expect(claimed.map(({ id }) => id)).toContain(postId);
  });

  it('is sent despite two backlogs that could use the whole concurrency limit', async () => {
    const hogs = [await backlog(BACKLOG), await backlog(BACKLOG)];
    const { postId } = await lateComer();
    world.clock.advance(61_000);

    const claimed = await claim();

    expect(claimed.map(({ id }) => id)).toContain(postId);
    const shares = hogs.map(({ id }) => claimed.filter(({ accountId }) => accountId === id).length);
    expect(shares.toSorted((a, b) => a - b)).toEqual([ACCOUNT_SHARE - 1, ACCOUNT_SHARE]);
  });

  it('is left to the next wide claim by a narrow claim', async () => {
    await backlog(BACKLOG);
    const { postId } = await lateComer();
    world.clock.advance(61_000);

    const narrow = await claim({ wide: false });
    const wide = await claim();

    expect(narrow.map(({ id }) => id)).not.toContain(postId);
    expect(wide.map(({ id }) => id)).toContain(postId);
  });
});
