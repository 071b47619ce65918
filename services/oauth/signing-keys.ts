/**
 * The keys that sign access tokens (ES256), stored encrypted in the database so that all processes share them. The
 * newest one signs. An older one verifies until the last token it signed has expired, so a rotation logs no one out.
 */
import { generateKeyPairSync } from 'node:crypto';
import { OauthKey } from '../../entities/oauth-key.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';

/** How long a key signs. */
const ROTATE_AFTER_MS = 30 * 86_400_000;

/** How long a key that no longer signs is kept: far longer than the lifetime of an access token. */
const KEEP_MS = 86_400_000;

export interface SigningKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  /** The private part. */
  readonly d: string;
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

/** All current keys, the signing key first. Creates the first key when there is none. */
export async function readSigningKeys(context: Context): Promise<SigningKey[]> {
  const stored = await storedKeys(context);
  if (stored.length > 0) return stored;
  await addSigningKey(context);
  return storedKeys(context);
}

async function storedKeys(context: Context): Promise<SigningKey[]> {
  const rows = await context.db.em().find(OauthKey, {}, { orderBy: { createdAt: 'desc', id: 'desc' } });
  return rows.map(({ id, jwk }) => context.vault.open(jwk, id) as SigningKey);
}

/** Creates a key that signs from now on. @returns its `kid` */
export async function addSigningKey(context: Context): Promise<string> {
  const id = context.random.uuid();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: id, alg: 'ES256', use: 'sig' };
  await context.db.em().insert(OauthKey, { id, jwk: context.vault.seal(jwk, id), createdAt: context.clock.now() });
  return id;
}

/** Rotates a signing key that is due, and deletes keys that no valid token needs. */
export async function cleanUpSigningKeys(context: Context): Promise<void> {
  const now = context.clock.now();
  const [newest] = await context.db.em().find(OauthKey, {}, { orderBy: { createdAt: 'desc', id: 'desc' }, limit: 1 });
  if (newest !== undefined && now.getTime() - newest.createdAt.getTime() >= ROTATE_AFTER_MS) {
    const kid = await addSigningKey(context);
    context.log.info({ kid }, 'access tokens are signed with a new key');
  }
  const replacedBefore = new Date(now.getTime() - KEEP_MS).toISOString();
  await tables(context.db.queries)
    .deleteFrom('oauth_keys as k')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('oauth_keys as newer')
          .select('newer.id')
          .whereRef('newer.created_at', '>', 'k.created_at')
          .where('newer.created_at', '<=', replacedBefore),
      ),
    )
    .execute();
}
