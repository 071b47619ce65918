/**
 * Inserts the missing ledger rows of charged posts, for xUsageSweep. A charge is inserted only once, whichever code
 * inserts it.
 */
import { columns } from '../../entities/column-lists.ts';
import { records, type RowOf, statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';

/** Maximum number of rows that one round inserts. */
const AT_ONCE = 500;

/** How far back a process searches at first: longer than any unnoticed outage. */
const LOOK_BACK_MS = 35 * 86_400_000;

/** How far back it searches before the end of its last search: longer than a settlement takes, and than clocks differ. */
const OVERLAP_MS = 3_600_000;

const findMissing = statement('find charged posts without a charge', {
  parameters: { limit: 'int', since: 'timestamptz' },
  result: columns('posts', ['id', 'account_id', 'platform_id', 'fee_cents', 'sent_at']).types,
  sql: ({ limit, since }) => `
    select p.id, p.account_id, p.platform_id, p.fee_cents, p.sent_at from posts p
    where p.fee_cents > 0 and p.sent_at > ${since}
      and not exists (select 1 from charges c where c.subject_id = p.id and c.kind = 'post')
    order by p.sent_at limit ${limit}`,
});

const insertCharges = statement('insert missing charges', {
  parameters: {
    charges: records({
      id: 'uuid',
      accountId: 'uuid',
      subjectId: 'uuid',
      platformId: 'text',
      cents: 'int',
      at: 'timestamptz',
    }),
  },
  result: { id: 'uuid' },
  sql: ({ charges }) => `
    insert into charges (id, account_id, kind, subject_id, platform_id, cents, at)
    select id, "accountId", 'post', "subjectId", "platformId", cents, at from ${charges}
    on conflict (subject_id, kind, number) do nothing returning id`,
});

interface MissingCharges {
  /** @returns number of rows inserted */
  write(): Promise<number>;
}

export interface WithMissingCharges {
  readonly missingCharges: MissingCharges;
}

export function createMissingCharges(context: Context): MissingCharges {
  // What other processes search does not count, so that a process that was kept from searching catches up.
  let searchedUntil = -Infinity;
  return {
    write: async () => {
      const now = context.clock.now().getTime();
      // The clock may have been set back.
      const since = Math.max(Math.min(searchedUntil, now) - OVERLAP_MS, now - LOOK_BACK_MS);
      const missing = await findMissing(context.db.em(), { limit: AT_ONCE, since: new Date(since) });
      const inserted = missing.length === 0 ? 0 : await insert(context, missing);
      if (missing.length < AT_ONCE) searchedUntil = now;
      return inserted;
    },
  };
}

async function insert(context: Context, missing: readonly RowOf<typeof findMissing>[]): Promise<number> {
  const charges = missing.map((post) => ({
    id: context.random.uuid(),
    accountId: post.account_id,
    subjectId: post.id,
    platformId: post.platform_id,
    cents: post.fee_cents,
    at: post.sent_at as string,
  }));
  return (await insertCharges(context.db.em(), { charges })).length;
}
