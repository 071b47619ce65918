/** Puts together what each key and agent of an account did in a week, and which agents lose their access soon. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { type RowOf, statement } from '../../entities/statement.ts';
import { UNUSED_DAYS } from '../oauth/remove-ended-grants.ts';
import { dateOf, dateOrNull } from '../timestamp.ts';
import type { DigestWeek } from './digest-week.ts';
import { type Activity, readActivity } from './read-activity.ts';

const DAY_MS = 86_400_000;

/** How long before its end the access of an unused agent is mentioned. */
const ENDS_SOON_MS = 14 * DAY_MS;

/** Most grants of an account that are read, the newest first. */
const GRANTS_MAX = 1_000;

const findGrants = statement('find the grants of an account for its digest', {
  parameters: { accountId: 'uuid' },
  result: {
    id: 'uuid',
    client_id: 'text',
    client_name: 'text',
    redirect_host: 'text',
    email: 'text',
    created_at: 'timestamptz',
    last_used_at: 'timestamptz?',
    revoked_at: 'timestamptz?',
  },
  sql: ({ accountId }) => `
    select g.id, g.client_id, g.client_name, g.redirect_host, o.email::text as email, g.created_at, g.last_used_at,
      g.revoked_at
    from owners o join oauth_grants g on g.owner_id = o.id
    where o.account_id = ${accountId} order by g.id desc limit ${GRANTS_MAX}`,
});

type Grant = RowOf<typeof findGrants>;

const findKeyNames = statement('find the names of keys for a digest', {
  parameters: { accountId: 'uuid', ids: 'uuid[]' },
  result: { id: 'uuid', name: 'text' },
  sql: ({ accountId, ids }) => `
    select id, name::text as name from api_keys where account_id = ${accountId} and id = any(${ids})`,
});

/** Counts by platform. */
export type ByPlatform = ReadonlyMap<string, number>;

/** What one key or agent did. */
export interface ActorDigest {
  readonly kind: 'key' | 'agent';
  readonly name: string;
  /** Where the person who allowed the agent was sent back to; null for keys, and when it is gone. */
  readonly host: string | null;
  /** Addresses of the people for whom it acts; several when the audit names the agent only. */
  readonly onBehalfOf: readonly string[];
  readonly created: Map<string, number>;
  readonly sent: Map<string, number>;
  readonly failed: Map<string, number>;
  /** Requests by state; `pending` ones wait now, the others were decided in the week. */
  readonly approvals: Map<string, number>;
  /** Other changes by operation. */
  readonly changes: Map<string, number>;
}

export interface EndingGrant {
  readonly name: string;
  readonly onBehalfOf: string;
  readonly endsAt: Date;
}

export interface Digest {
  /** The busiest first. */
  readonly actors: readonly ActorDigest[];
  /** The first to end first. */
  readonly ending: readonly EndingGrant[];
}

/** @returns null when no key or agent changed anything, and none of their posts was sent or failed */
export async function readDigest(
  em: SqlEntityManager,
  accountId: string,
  { week, now, approvalDays }: { readonly week: DigestWeek; readonly now: Date; readonly approvalDays: number },
): Promise<Digest | null> {
  const activity = await readActivity(em, accountId, week, approvalDays);
  const { created, outcomes, approvals, changes } = activity;
  // A decision about an earlier request is the act of a person.
  if ([created, outcomes, changes].every((counts) => counts.length === 0)) return null;
  const grants = await findGrants(em, { accountId });
  const rows = [...created, ...outcomes, ...approvals, ...changes];
  const ids = [...new Set(rows.filter(({ kind }) => kind === 'key').map(({ id }) => id))];
  const keys = new Map((await findKeyNames(em, { accountId, ids })).map(({ id, name }) => [id, name]));
  return { actors: actorsOf(activity, { grants, keys, week }), ending: endingSoon(grants, now) };
}

interface Names {
  readonly grants: readonly Grant[];
  readonly keys: ReadonlyMap<string, string>;
  readonly week: DigestWeek;
}

function actorsOf({ created, outcomes, approvals, changes }: Activity, names: Names): ActorDigest[] {
  const actors = new Map<string, ActorDigest>();
  const actor = (id: string, named: () => Pick<ActorDigest, 'kind' | 'name' | 'host' | 'onBehalfOf'>) => {
    const counts = { created: new Map(), sent: new Map(), failed: new Map(), approvals: new Map(), changes: new Map() };
    const known = actors.get(id) ?? { ...named(), ...counts };
    actors.set(id, known);
    return known;
  };
  const poster = ({ kind, id }: { kind: string; id: string }) =>
    actor(id, () => (kind === 'key' ? keyOf(id, names.keys.get(id)) : agentOf(id, grantsById(names, id))));
  for (const row of created) add(poster(row).created, row.platform_id, row.count);
  for (const row of outcomes) {
    add(row.name === 'post.sent' ? poster(row).sent : poster(row).failed, row.platform_id, row.count);
  }
  for (const row of changes) {
    const possible = row.kind === 'key' ? [] : possibleGrants(names, row.id);
    const [only] = possible.length === 1 ? possible : [];
    const { changes: counted } = actor(only?.id ?? row.id, () =>
      row.kind === 'key' ? keyOf(row.id, names.keys.get(row.id) ?? row.name) : agentOf(row.name, possible),
    );
    add(counted, row.operation, row.count);
  }
  for (const row of approvals) {
    // A request that has waited since an earlier week is no activity.
    if (row.state !== 'pending' || actors.has(row.id)) add(poster(row).approvals, row.state, row.count);
  }
  return [...actors.values()].toSorted((one, other) => workOf(other) - workOf(one));
}

function keyOf(id: string, name: string | undefined) {
  return { kind: 'key', name: name ?? id, host: null, onBehalfOf: [] } as const;
}

function agentOf(name: string, grants: readonly Grant[]) {
  const [first] = grants;
  return {
    kind: 'agent',
    name: first?.client_name ?? name,
    host: first?.redirect_host ?? null,
    onBehalfOf: [...new Set(grants.map(({ email }) => email))],
  } as const;
}

function grantsById({ grants }: Names, id: string): readonly Grant[] {
  return grants.filter((grant) => grant.id === id);
}

/** The audit names the client of an agent: the grants of it that could be used in the week. */
function possibleGrants({ grants, week }: Names, clientId: string): readonly Grant[] {
  return grants.filter(
    (grant) =>
      grant.client_id === clientId &&
      dateOf(grant.created_at) < week.to &&
      (grant.revoked_at === null || dateOf(grant.revoked_at) > week.from),
  );
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function workOf({ created, sent, failed, changes }: ActorDigest): number {
  return [created, sent, failed, changes].reduce((sum, counts) => sum + totalOf(counts), 0);
}

export function totalOf(counts: ByPlatform): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function endingSoon(grants: readonly Grant[], now: Date): EndingGrant[] {
  return grants
    .filter(({ revoked_at: revokedAt }) => revokedAt === null)
    .map((grant) => {
      const used = dateOrNull(grant.last_used_at) ?? dateOf(grant.created_at);
      const endsAt = new Date(used.getTime() + UNUSED_DAYS * DAY_MS);
      return { name: grant.client_name, onBehalfOf: grant.email, endsAt };
    })
    .filter(({ endsAt }) => endsAt > now && endsAt.getTime() - now.getTime() <= ENDS_SOON_MS)
    .toSorted((one, other) => Number(one.endsAt) - Number(other.endsAt));
}
