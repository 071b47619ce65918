/**
 * The input that a platform needs to link an account through its own page, including the apps that this install
 * registered dynamically.
 */
import { PlatformAppRow } from '../../entities/platform-app.ts';
import type { PlatformApp } from '../../platforms/contract.ts';
import type { OauthIo } from '../../platforms/connect.ts';
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
      const known = await findApp(context, { platformId, origin, redirectUri });
      return known ?? storeApp(context, { platformId, origin, redirectUri }, await register());
    },
    forgetApp: async (origin) => {
      await context.db.em().nativeDelete(PlatformAppRow, { platformId, origin, redirectUri });
    },
  };
}

type Place = Pick<PlatformAppRow, 'platformId' | 'origin' | 'redirectUri'>;

/** Null when there is none, or when it can no longer be decrypted. */
async function findApp(context: Context, place: Place): Promise<PlatformApp | null> {
  const row = await context.db.em().findOne(PlatformAppRow, place);
  if (row === null) return null;
  try {
    return context.vault.open(row.app, row.id) as PlatformApp;
  } catch {
    return null;
  }
}

/**
 * Of two concurrent registrations, the later one is stored; a flow that started with the other one continues with that.
 */
async function storeApp(
  context: Context,
  { platformId, origin, redirectUri }: Place,
  app: PlatformApp,
): Promise<PlatformApp> {
  const id = context.random.uuid();
  const sealed = context.vault.seal(app, id);
  await context.db
    .em()
    .upsert(
      PlatformAppRow,
      { id, platformId, origin, redirectUri, app: sealed, createdAt: context.clock.now() },
      { onConflictFields: ['platformId', 'origin', 'redirectUri'], onConflictAction: 'merge' },
    );
  return app;
}
