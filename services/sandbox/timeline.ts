/**
 * The sandbox's store, in the service's database. Concurrent appends share a statement, because sends come in bursts.
 */
import type { Database } from '../../entities/orm.ts';
import { query } from '../../entities/query.ts';
import type { SandboxImage, SandboxTimeline, TimelinePost } from '../../platforms/sandbox/timeline.ts';
import { createBatcher } from '../batcher.ts';
import type { Clock, Random } from '../clock.ts';

interface Append {
  id: string;
  accountId: string;
  handle: string;
  text: string;
  images: readonly SandboxImage[];
  token: string;
  rootId: string | null;
  createdAt: string;
}

const APPEND = `
  insert into sandbox_posts (id, account_id, handle, text, images, token, root_id, calls, created_at)
  select i.id, i."accountId", i.handle, i.text, i.images, i.token, i."rootId", 1, i."createdAt"
  from jsonb_to_recordset($1::jsonb)
    as i(id uuid, "accountId" uuid, handle text, text text, images jsonb, token text, "rootId" uuid, "createdAt" timestamptz)
  on conflict (account_id, token) do update set calls = sandbox_posts.calls + 1
  returning id, text, account_id, token`;

export function createSandboxTimeline(db: Database, clock: Clock, random: Random): SandboxTimeline {
  const appends = createBatcher<Append, TimelinePost>(async (items) => {
    const rows = await query<TimelinePost & { account_id: string; token: string }>(db.em(), APPEND, [
      JSON.stringify(items),
    ]);
    const made = new Map(rows.map((row) => [`${row.account_id} ${row.token}`, { id: row.id, text: row.text }]));
    return items.map((item) => made.get(`${item.accountId} ${item.token}`) ?? { id: item.id, text: item.text });
  }, 200);

  const one = async (condition: string, parameters: readonly unknown[]) => {
    const [row] = await query<TimelinePost>(
      db.em(),
      `select id, text from sandbox_posts where ${condition}`,
      parameters,
    );
    return row ?? null;
  };

  return {
    openAccount: () => random.uuid(),
    append: (post) => appends.add({ ...post, id: random.uuid(), createdAt: clock.now().toISOString() }),
    findByToken: (accountId, token) => one('account_id = $1 and token = $2', [accountId, token]),
    find: (accountId, id) => one('account_id = $1 and id = $2', [accountId, id]),
    remove: async (accountId, id) => {
      const sql = 'update sandbox_posts set deleted_at = $3 where account_id = $1 and id = $2 and deleted_at is null';
      await query(db.em(), sql, [accountId, id, clock.now()]);
    },
  };
}
