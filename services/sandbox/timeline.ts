/**
 * The sandbox's store, in the service's database. Concurrent appends share a statement, because sends come in bursts.
 */
import type { Database } from '../../entities/orm.ts';
import { columns } from '../../entities/column-lists.ts';
import { SandboxPost } from '../../entities/sandbox-post.ts';
import { type RecordOf, records, statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { Timeline, TimelinePost } from '../../platforms/timeline.ts';
import { createBatcher } from '../batcher.ts';
import type { Clock, Random } from '../clock.ts';

const APPENDED = columns('sandbox_posts', [
  'id',
  'account_id',
  'handle',
  'text',
  'images',
  'token',
  'root_id',
  'created_at',
]);
const APPENDED_RECORDS = records(APPENDED.types);
const FOUND = columns('sandbox_posts', ['id', 'text', 'account_id', 'token']);

const appendPosts = statement('append posts to the timelines of the sandbox', {
  parameters: { posts: APPENDED_RECORDS },
  result: FOUND.types,
  sql: ({ posts }) => `
    insert into sandbox_posts (${APPENDED.names}, calls)
    select ${APPENDED.names}, 1 from ${posts}
    on conflict (account_id, token) do update set calls = sandbox_posts.calls + 1
    returning ${FOUND.sql}`,
});

export function createSandboxTimeline(db: Database, clock: Clock, random: Random): Timeline {
  const appends = createBatcher<RecordOf<typeof APPENDED_RECORDS>, TimelinePost>(async (posts) => {
    const rows = await appendPosts(db.queries, { posts });
    const made = new Map(rows.map((row) => [`${row.account_id} ${row.token}`, { id: row.id, text: row.text }]));
    return posts.map((post) => made.get(`${post.account_id} ${post.token}`) ?? { id: post.id, text: post.text });
  }, 200);

  const find = (accountId: string) =>
    tables(db.queries).selectFrom('sandbox_posts').select(['id', 'text']).where('account_id', '=', accountId);

  return {
    openAccount: () => random.uuid(),
    append: ({ accountId, rootId, ...post }) => {
      const id = random.uuid();
      return appends.add({ ...post, id, account_id: accountId, root_id: rootId, created_at: clock.now() });
    },
    findByToken: async (accountId, token) =>
      (await find(accountId).where('token', '=', token).executeTakeFirst()) ?? null,
    find: async (accountId, id) => (await find(accountId).where('id', '=', id).executeTakeFirst()) ?? null,
    remove: async (accountId, id) => {
      await db.em().nativeUpdate(SandboxPost, { accountId, id, deletedAt: null }, { deletedAt: clock.now() });
    },
  };
}
