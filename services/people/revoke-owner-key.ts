/** Revokes a key of the account for an owner. A refusal is audited too. */
import { ServiceError } from '../../errors/service-error.ts';
import { recordChange } from '../audit/record-change.ts';
import type { AuditObject, AuditOutcome } from '../audit/store-entries.ts';
import type { Context } from '../context.ts';
import { revokeAccountKey } from '../keys/revoke-account-key.ts';
import type { Revocation } from '../keys/revoke-key.ts';
import { lockPeopleAsOwner } from './lock-people.ts';
import { ownerChange, type Visit } from './owner-change.ts';
import type { SignedInPerson } from './sign-ins.ts';

/** @throws ServiceError not_found, unauthorized, forbidden (no owner anymore) */
export async function revokeOwnerKey(
  context: Context,
  person: SignedInPerson,
  revocation: Revocation,
  visit: Visit,
): Promise<void> {
  const change = (outcome: AuditOutcome) => (object: AuditObject) =>
    ownerChange(person, visit, { operation: 'keys.revoke', outcome, object });
  try {
    await revokeAccountKey(context, person.accountId, revocation, change('ok'), (em) => lockPeopleAsOwner(em, person));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await recordChange(context, change(error.code)({ type: 'key', ids: [revocation.keyId] }));
    throw error;
  }
}
