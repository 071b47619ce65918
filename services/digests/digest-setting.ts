/** Whether an owner gets the weekly digest, and in which time zone its Monday begins. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { aboutPerson, ownerChange, type Visit } from '../people/owner-change.ts';
import type { SignedInPerson } from '../people/sign-ins.ts';
import { isTimeZone } from '../scheduling/time-zone.ts';
import { dateOrNull } from '../timestamp.ts';
import { digestZone, inZone, nextDigestAt } from './digest-week.ts';

export interface DigestSetting {
  readonly isOn: boolean;
  /** IANA zone. */
  readonly timezone: string;
  /** When the next one is due; null when it is off or no mail server is configured. */
  readonly nextAt: Date | null;
}

export interface DigestChange {
  readonly isOn?: boolean | undefined;
  readonly timezone?: string | undefined;
}

interface Stored {
  readonly isOn: boolean;
  readonly zone: string;
  /** Null until a worker has planned it. */
  readonly at: Date | null;
}

// Waits for a worker that is claiming the same digest, so that none is planned twice.
const lockSetting = statement('lock the digest of an owner', {
  parameters: { ownerId: 'uuid', accountId: 'uuid' },
  result: { digest: 'boolean', digest_zone: 'text?', digest_at: 'timestamptz?' },
  sql: ({ ownerId, accountId }) => `
    select digest, digest_zone, digest_at from owners
    where id = ${ownerId} and account_id = ${accountId} for no key update`,
});

const findSetting = statement('read the digest of an owner', {
  parameters: { ownerId: 'uuid', accountId: 'uuid' },
  result: { digest: 'boolean', digest_zone: 'text?', digest_at: 'timestamptz?' },
  sql: ({ ownerId, accountId }) => `
    select digest, digest_zone, digest_at from owners where id = ${ownerId} and account_id = ${accountId}`,
});

const storeSetting = statement('change the digest of an owner', {
  parameters: { ownerId: 'uuid', isOn: 'boolean', zone: 'text', at: 'timestamptz' },
  sql: ({ ownerId, isOn, zone, at }) => `
    update owners set digest = ${isOn}, digest_zone = ${zone}, digest_at = ${at} where id = ${ownerId}`,
});

export async function readDigestSetting(context: Context, person: SignedInPerson): Promise<DigestSetting> {
  return viewOf(context, storedFrom(await findSetting(context.db.queries, person)));
}

/** @throws ServiceError invalid_request for an unknown time zone, unauthorized for a person who was just removed */
export async function changeDigest(
  context: Context,
  person: SignedInPerson,
  change: DigestChange,
  visit: Visit,
): Promise<DigestSetting> {
  const { timezone } = change;
  if (timezone !== undefined && !isTimeZone(timezone)) {
    throw new ServiceError(
      'invalid_request',
      `timezone: "${timezone}" is not an IANA time zone such as Europe/Berlin.`,
    );
  }
  const changed = await context.db.em().transactional(async (em: SqlEntityManager) => {
    const before = storedFrom(await lockSetting(em, person));
    const zone = timezone ?? before.zone;
    const isOn = change.isOn ?? before.isOn;
    const at = plannedAt(before, { isOn, zone }, context.clock.now());
    await storeSetting(em, { ownerId: person.ownerId, isOn, zone, at });
    const act = { operation: 'people.changeDigest', outcome: 'ok', object: aboutPerson(person.ownerId) } as const;
    await recordChange(context, ownerChange(person, visit, act), em);
    return { isOn, zone, at };
  });
  return viewOf(context, changed);
}

/**
 * The planned Monday stays, also in the other zone: no week gets two digests. Weeks that passed while it was off get none.
 */
function plannedAt(before: Stored, { isOn, zone }: Pick<Stored, 'isOn' | 'zone'>, now: Date): Date {
  if (before.at === null) return nextDigestAt(zone, now);
  const moved = inZone(before.at, before.zone, zone);
  const wasTurnedOn = isOn && !before.isOn;
  return wasTurnedOn && moved <= now ? nextDigestAt(zone, now) : moved;
}

function storedFrom([row]: readonly {
  digest: boolean;
  digest_zone: string | null;
  digest_at: string | null;
}[]): Stored {
  if (row === undefined) throw new ServiceError('unauthorized', 'You have no access to this account anymore.');
  return { isOn: row.digest, zone: digestZone(row.digest_zone), at: dateOrNull(row.digest_at) };
}

function viewOf(context: Context, { isOn, zone, at }: Stored): DigestSetting {
  const isSent = isOn && context.mail !== null;
  return { isOn, timezone: zone, nextAt: isSent ? (at ?? nextDigestAt(zone, context.clock.now())) : null };
}
