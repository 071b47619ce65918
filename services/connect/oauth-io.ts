/**
 * The input that a platform needs to link an account through its own page, including the apps that this install
 * registered dynamically.
 */
import { PlatformAppRow } from '../../entities/platform-app.ts';
import { tables } from '../../entities/tables.ts';
import { type PlatformApp, PlatformFailure } from '../../platforms/contract.ts';
import { type OauthIo, publishesApp } from '../../platforms/connect.ts';
import { platformOf } from '../../platforms/registry.ts';
import { CONNECT_TIMEOUT_MS } from '../connections/check-credentials.ts';
import type { Context } from '../context.ts';
import { platformIo } from '../platform-io.ts';

/**
 * The callback address of a platform. Each platform has a different one, so that none can impersonate another's answer.
 */
export function callbackUrl(context: Context, platformId: string): string {
  return `${context.config.publicUrl}/connect/callback/${platformId}`;
}

export function oauthIo(context: Context, platformId: string): OauthIo {
  const redirectUri = callbackUrl(context, platformId);
  return {
    ...platformIo(context, CONNECT_TIMEOUT_MS),
    keptApp: async (origin, register) => {
      const place = { platformId, origin, redirectUri };
      return (await findApp(context, place)) ?? storeApp(context, place, await register());
    },
    forgetApp: async (origin) => {
      await context.db.em().nativeDelete(PlatformAppRow, { platformId, origin, redirectUri });
    },
  };
}

type Place = Pick<PlatformAppRow, 'platformId' | 'origin' | 'redirectUri'>;

/** Null when there is none, or when another can take its place. @throws PlatformFailure when none can */
async function findApp(context: Context, place: Place): Promise<PlatformApp | null> {
  const row = await context.db.em().findOne(PlatformAppRow, place);
  if (row === null) return null;
  try {
    return context.vault.open(row.app, row.id) as PlatformApp;
  } catch (cause) {
    return giveUpApp(context, row, cause);
  }
}

/**
 * Deletes an app that cannot be decrypted, unless stored credentials depend on it.
 *
 * An app that a server registered only starts consents and exchanges their codes: consents in progress keep a copy of
 * it, the tokens of connected accounts work without it, and the server registers another one for anyone. A published
 * app has to stay: a document with another key would silently end the renewal of every credential made with the first.
 * The same key comes back with the missing encryption key.
 */
async function giveUpApp(context: Context, row: PlatformAppRow, cause: unknown): Promise<null> {
  const { id, platformId, origin, app } = row;
  const { name, hosted } = platformOf(context.platforms, platformId);
  if (publishesApp(hosted)) {
    context.log.error({ platformId, origin, err: cause }, 'a stored app cannot be decrypted');
    const message = `${name} cannot be connected on this page now: the operator of this install has to restore an encryption key.`;
    throw new PlatformFailure('unavailable', message, { cause });
  }
  context.log.warn({ platformId, origin, err: cause }, 'a stored app cannot be decrypted and is registered again');
  await context.db.em().nativeDelete(PlatformAppRow, { id, app });
  return null;
}

/**
 * Of two concurrent registrations, the first one is stored and returned to both. Otherwise the document could publish
 * the key of one while a credential keeps the other.
 */
async function storeApp(context: Context, place: Place, app: PlatformApp): Promise<PlatformApp> {
  const id = context.random.uuid();
  await tables(context.db.queries)
    .insertInto('platform_apps')
    .values({
      id,
      platform_id: place.platformId,
      origin: place.origin,
      redirect_uri: place.redirectUri,
      app: context.vault.seal(app, id),
      created_at: context.clock.now(),
    })
    .onConflict((conflict) => conflict.columns(['platform_id', 'origin', 'redirect_uri']).doNothing())
    .execute();
  return (await findApp(context, place)) ?? app;
}
