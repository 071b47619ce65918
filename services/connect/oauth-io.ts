/** What a platform is handed to link an account by its own page: besides the usual, the apps that this install has registered by itself. */
import { PlatformAppRow } from '../../entities/platform-app.ts';
import { query } from '../../entities/query.ts';
import type { PlatformApp } from '../../platforms/contract.ts';
import type { OauthIo } from '../../platforms/hosted.ts';
import { CONNECT_TIMEOUT_MS } from '../connections/check-credentials.ts';
import type { Context } from '../context.ts';
import { platformIo } from '../platform-io.ts';

/** Where a platform sends customers back to: an address of its own each, so that none can pass off another's answer. */
export function callbackUrl(context: Context, platformId: string): string {
  return `${context.config.publicUrl}/connect/callback/${platformId}`;
}

export function oauthIo(context: Context, platformId: string): OauthIo {
  const redirectUri = callbackUrl(context, platformId);
  return {
    ...platformIo(context, CONNECT_TIMEOUT_MS),
    keptApp: async (origin, register) => {
      const known = await findApp(context, { platformId, origin, redirectUri });
      return known ?? keepApp(context, { platformId, origin, redirectUri }, await register());
    },
    forgetApp: async (origin) => {
      await context.db.em().nativeDelete(PlatformAppRow, { platformId, origin, redirectUri });
    },
  };
}

type Place = Pick<PlatformAppRow, 'platformId' | 'origin' | 'redirectUri'>;

/** Null when there is none, and when it cannot be decrypted any more. */
async function findApp(context: Context, place: Place): Promise<PlatformApp | null> {
  const row = await context.db.em().findOne(PlatformAppRow, place);
  if (row === null) return null;
  try {
    return context.vault.open(row.app, row.id) as PlatformApp;
  } catch {
    return null;
  }
}

const KEEP = `
  insert into platform_apps (id, platform_id, origin, redirect_uri, app, created_at) values ($1, $2, $3, $4, $5, $6)
  on conflict (platform_id, origin, redirect_uri)
  do update set id = excluded.id, app = excluded.app, created_at = excluded.created_at`;

/** Of two that register at once the later one is kept; who began with the other one goes on with that. */
async function keepApp(
  context: Context,
  { platformId, origin, redirectUri }: Place,
  app: PlatformApp,
): Promise<PlatformApp> {
  const id = context.random.uuid();
  const row = [id, platformId, origin, redirectUri, context.vault.seal(app, id), context.clock.now()];
  await query(context.db.em(), KEEP, row);
  return app;
}
