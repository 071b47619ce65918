/**
 * Signs an owner in with address and password. Neither the message nor the response time reveals which of them is
 * wrong.
 */
import { Owner } from '../../entities/owner.ts';
import { recordRefusal } from '../audit/record-refusal.ts';
import type { Context } from '../context.ts';
import { checkPassword } from './check-password.ts';
import { emailAddress } from './email-address.ts';
import { ownerIdentity } from './owner-caller.ts';
import { aboutOwner, ownerChange, type Visit } from './owner-change.ts';
import { signInOwner } from './sign-in-owner.ts';

export interface Credentials extends Visit {
  readonly email: string;
  readonly password: string;
}

export type SignInOutcome =
  /** `secret` is the new secret for the browser. */
  | { readonly kind: 'done'; readonly secret: string }
  | { readonly kind: 'refused' }
  /** Throttled: nothing was checked. */
  | { readonly kind: 'wait'; readonly seconds: number };

export async function signIn(context: Context, credentials: Credentials): Promise<SignInOutcome> {
  const { password, ip } = credentials;
  const email = emailAddress(credentials.email);
  const owner = email === null ? null : await context.db.em().findOne(Owner, { email });
  const checked = await checkPassword(context, { email: email ?? '', ip }, owner, password);
  if (checked.kind === 'wait') return checked;
  const secret =
    checked.kind === 'fits'
      ? await signInOwner(context, checked.owner, credentials, (_em, inForce) => inForce === checked.passwordHash)
      : null;
  if (secret !== null) return { kind: 'done', secret };
  await recordRefused(context, owner, credentials);
  return { kind: 'refused' };
}

/** Throttled attempts are not audited: they cost the client nothing, and would cost a row each. */
async function recordRefused(context: Context, owner: Owner | null, visit: Visit): Promise<void> {
  if (owner === null) return recordRefusal(context, null);
  const identity = ownerIdentity(owner);
  const act = { operation: 'owner.signIn', outcome: 'unauthorized', object: aboutOwner(identity) } as const;
  await recordRefusal(context, ownerChange(identity, visit, act));
}
