/** Signs an owner in with address and password. What is wrong is told of neither, in words or in time. */
import { Owner } from '../../entities/owner.ts';
import type { Context } from '../context.ts';
import { checkPassword } from './check-password.ts';
import { emailAddress } from './email-address.ts';
import { beginSignIn } from './sign-ins.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly ip: string;
  readonly userAgent: string;
}

export type SignInOutcome =
  /** `secret` is what the browser is to show from now on. */
  | { readonly kind: 'done'; readonly secret: string }
  | { readonly kind: 'refused' }
  /** Nothing was checked. */
  | { readonly kind: 'wait'; readonly seconds: number };

export async function signIn(context: Context, credentials: Credentials): Promise<SignInOutcome> {
  const { password, ip, userAgent } = credentials;
  const email = emailAddress(credentials.email);
  const owner = email === null ? null : await context.db.em().findOne(Owner, { email });
  const checked = await checkPassword(context, { email: email ?? '', ip }, owner, password);
  if (checked.kind !== 'fits') return checked;
  context.log.info({ ownerId: checked.owner.id }, 'an owner signed in');
  return { kind: 'done', secret: await beginSignIn(context, checked.owner.id, userAgent) };
}
