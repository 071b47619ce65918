/**
 * Creates a key that reaches the whole account, for an owner. Requires the password, because the key outlives the
 * sign-in.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { ApprovalRule } from '../../entities/approval-actors.ts';
import { Owner } from '../../entities/owner.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Scope } from '../access/scopes.ts';
import type { Context } from '../context.ts';
import { type KeyChange, storeAccountKey } from '../keys/create-account-key.ts';
import type { MintedKey } from '../keys/new-key.ts';
import { checkPassword, type PasswordCheck } from './check-password.ts';
import { holdProof } from './hold-sign-in.ts';
import { lockPeopleAsOwner } from './lock-people.ts';
import { aboutOwner, ownerChange, type Visit } from './owner-change.ts';
import type { SignedInPerson } from './sign-ins.ts';

export interface OwnerKey {
  readonly name: string;
  readonly type: 'live' | 'test';
  readonly password: string;
  readonly scopes?: readonly Scope[] | undefined;
  readonly approval?: ApprovalRule | undefined;
  readonly expiresAt?: string | undefined;
}

export type CreatedKey = ({ readonly kind: 'made' } & MintedKey) | Exclude<PasswordCheck, { kind: 'fits' }>;

/** @throws ServiceError unauthorized, forbidden (no owner anymore), limit_exceeded, invalid_request (expiresAt in the past) */
export async function createOwnerKey(
  context: Context,
  person: SignedInPerson,
  { password, ...wanted }: OwnerKey,
  visit: Visit,
): Promise<CreatedKey> {
  const { ownerId, accountId, email } = person;
  const owner = await context.db.em().findOne(Owner, { id: ownerId, accountId });
  const checked = await checkPassword(context, { email, ip: visit.ip }, owner, password);
  if (checked.kind === 'wait') return checked;
  const change: KeyChange = (object) => ownerChange(person, visit, { operation: 'keys.create', outcome: 'ok', object });
  const made =
    checked.kind === 'fits'
      ? await context.db.em().transactional(async (em: SqlEntityManager) => {
          await lockPeopleAsOwner(em, person);
          if (!(await holdProof(em, person, checked.passwordHash))) return null;
          return storeAccountKey(em, context, { accountId, ...wanted }, change);
        })
      : null;
  if (made !== null) return { kind: 'made', ...made };
  const act = { operation: 'keys.create', outcome: 'unauthorized', object: aboutOwner(person) } as const;
  await recordChange(context, ownerChange(person, visit, act));
  return { kind: 'refused' };
}
