/** Reads stops, with how many posts each holds. */
import { tables } from '../../entities/tables.ts';
import type { Tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import type { Identity } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { type CursorPage, type Page, pageOf } from '../paging.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';

export interface StopView {
  id: string;
  kind: Tables['stops']['kind'];
  /** Id of the account, profile, key or grant. */
  targetId: string;
  /** Name of the profile, key or agent; null for the account, and for an agent whose grant is no longer stored. */
  targetName: string | null;
  /** When the profile was deleted, or the key or grant revoked; null otherwise. */
  targetEndedAt: string | null;
  reason: string | null;
  startedAt: string;
  startedBy: Identity;
  /** Posts that wait for its release. */
  held: number;
  /** Posts that were being sent when it began, and still are. */
  sending: number;
  releasedAt: string | null;
  outcome: Tables['stops']['outcome'];
}

export interface StopPage extends CursorPage {
  /** Whether released ones are listed too. */
  readonly includeReleased: boolean;
}

/** Newest first. */
export async function listStops(
  context: Context,
  caller: Caller,
  { includeReleased, limit, cursor }: StopPage,
): Promise<Page<StopView>> {
  const rows = await select(context, caller)
    .$if(!includeReleased, (query) => query.where('s.released_at', 'is', null))
    .$if(cursor !== undefined, (query) => query.where('s.id', '<', cursor as string))
    .orderBy('s.id', 'desc')
    .limit(limit + 1)
    .execute();
  const { items, nextCursor } = pageOf(rows, limit);
  return { items: items.map(stopView), nextCursor };
}

/** @throws ServiceError not_found */
export async function readStop(context: Context, caller: Caller, stopId: string): Promise<StopView> {
  const row = await select(context, caller).where('s.id', '=', stopId).executeTakeFirst();
  if (row === undefined) throw new ServiceError('not_found', `No stop of yours has the id ${stopId}.`);
  return stopView(row);
}

function select({ db }: Context, { accountId, profileId, mode, keyId }: Caller) {
  const ofProfile = [profileId, keyId].filter((id) => id !== null);
  return (
    tables(db.queries)
      .selectFrom('stops as s')
      .leftJoin('profiles as t', 't.id', 's.target_id')
      .leftJoin('api_keys as k', 'k.id', 's.target_id')
      .leftJoin('oauth_grants as g', 'g.id', 's.target_id')
      .selectAll('s')
      .select(({ fn }) => [
        fn.coalesce('t.name', 'k.name', 'g.client_name').as('target_name'),
        fn.coalesce('t.deleted_at', 'k.revoked_at', 'g.revoked_at').as('target_ended_at'),
      ])
      .select(({ selectFrom, fn }) => [
        selectFrom('posts as p')
          .select(fn.countAll<number>().as('count'))
          .whereRef('p.stop_id', '=', 's.id')
          .where('p.status', '=', 'scheduled')
          .as('held'),
        selectFrom('posts as p')
          .select(fn.countAll<number>().as('count'))
          .whereRef('p.stop_id', '=', 's.id')
          .where('p.status', '=', 'processing')
          .as('sending'),
      ])
      .where('s.account_id', '=', accountId)
      // A key of a profile sees what keeps its own posts, but nothing about the keys that created it.
      .$if(profileId !== null, (query) =>
        query.where((stop) => stop.or([stop('s.kind', '=', 'account'), stop('s.target_id', 'in', ofProfile)])),
      )
      // Stops of the account and of profiles keep test posts too.
      .$if(mode === 'test', (query) =>
        query.where((stop) =>
          stop.or([
            stop('s.kind', 'in', ['account', 'profile']),
            stop('k.type', '=', 'test'),
            stop('g.mode', '=', 'test'),
          ]),
        ),
      )
  );
}

type StopRow = Tables['stops'] & {
  readonly target_name: string | null;
  readonly target_ended_at: string | null;
  readonly held: number | null;
  readonly sending: number | null;
};

function stopView(row: StopRow): StopView {
  return {
    id: row.id,
    kind: row.kind,
    targetId: row.target_id,
    targetName: row.target_name,
    targetEndedAt: timestampOrNull(row.target_ended_at),
    reason: row.reason,
    startedAt: timestamp(row.started_at),
    startedBy: { kind: row.started_by_kind, id: row.started_by_id, name: row.started_by_name },
    held: Number(row.held),
    sending: Number(row.sending),
    releasedAt: timestampOrNull(row.released_at),
    outcome: row.outcome,
  };
}
