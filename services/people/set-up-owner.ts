/**
 * Uses a link: creates the owner of its account, or sets a new address and password for the owner and removes every
 * other way to sign in.
 */
import { OwnerLink } from '../../entities/owner-link.ts';
import { Owner } from '../../entities/owner.ts';
import { query } from '../../entities/query.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';
import { hashPassword } from './argon2id.ts';
import { aboutOwner, ownerChange, type Visit } from './owner-change.ts';
import { passwordWork } from './password-work.ts';
import { removePasskeys } from './passkeys/own-passkeys.ts';
import { beginSignIn, endSignIns } from './sign-ins.ts';

/** `taken`: another owner on this install has that address. */
export type SetUp =
  | { readonly kind: 'done'; readonly secret: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'taken' };

export interface NewOwner extends Visit {
  /** Normalized by emailAddress. */
  readonly email: string;
  readonly password: string;
}

/** @param secret of the link, which becomes invalid once the owner exists */
export async function setUpOwner(context: Context, secret: string, owner: NewOwner): Promise<SetUp> {
  const passwordHash = await passwordWork(() => hashPassword(owner.password, context.random.bytes));
  return context.db.em().transactional(async (em: SqlEntityManager): Promise<SetUp> => {
    const accountId = await lockAccountOf(context, em, secret);
    if (accountId === null) return { kind: 'gone' };
    const other = await em.findOne(Owner, { email: owner.email, accountId: { $ne: accountId } });
    if (other !== null) return { kind: 'taken' };
    const ownerId = await storeOwner(context, em, { accountId, email: owner.email, passwordHash });
    await em.nativeDelete(OwnerLink, { accountId });
    await endSignIns(em, ownerId, null);
    await removePasskeys(em, ownerId);
    const identity = { ownerId, accountId, email: owner.email };
    const act = { operation: 'owner.setUp', outcome: 'ok', object: aboutOwner(identity) } as const;
    await recordChange(context, ownerChange(identity, owner, act), em);
    context.log.info({ accountId }, 'an owner was set up');
    const { secret: shown } = await beginSignIn(context, ownerId, owner.userAgent, em);
    return { kind: 'done', secret: shown };
  });
}

/** Of two concurrent uses of an account's links, the second one finds no link. */
async function lockAccountOf(context: Context, em: SqlEntityManager, secret: string): Promise<string | null> {
  const sql = 'select account_id from owner_links where secret_hash = $1 and expires_at > $2';
  const find = () => query<{ account_id: string }>(em, sql, [hashSecret(secret), context.clock.now()]);
  const [link] = await find();
  if (link === undefined) return null;
  await query(em, 'select id from accounts where id = $1 for update', [link.account_id]);
  const [still] = await find();
  return still?.account_id ?? null;
}

/** The caller has locked the account, which has at most one owner. */
export async function storeOwner(
  context: Context,
  em: SqlEntityManager,
  { accountId, email, passwordHash }: { accountId: string; email: string; passwordHash: string },
): Promise<string> {
  const owner = await em.findOne(Owner, { accountId });
  if (owner !== null) {
    await em.nativeUpdate(Owner, { id: owner.id, accountId }, { email, passwordHash });
    return owner.id;
  }
  const id = context.random.uuid();
  await em.insert(Owner, { id, accountId, email, passwordHash, createdAt: context.clock.now() });
  return id;
}
