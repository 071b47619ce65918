/** Checks a credential against its platform before anything is stored. */
import { invalidInput } from '../../errors/error-body.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { type AnyPlatform, type ConnectedAccount, PlatformFailure, type PlatformIo } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { platformIo } from '../platform-io.ts';
import { missingSettings } from './missing-settings.ts';

/** Timeout of the platform's check, in real time. */
export const CONNECT_TIMEOUT_MS = 30_000;

/**
 * @throws ServiceError invalid_request (platform not set up here, malformed credentials), platform_rejected
 *   (refused), platform_unavailable (no answer)
 */
export async function checkCredentials(
  context: Context,
  platform: AnyPlatform,
  raw: unknown,
): Promise<ConnectedAccount<unknown>> {
  const missing = missingSettings(context, platform);
  if (missing.length > 0) {
    const message = `platformId: "${platform.id}" is not set up on this install. Its operator must set ${missing.join(', ')}.`;
    throw new ServiceError('invalid_request', message);
  }
  const parsed = platform.credentials.safeParse(raw);
  if (!parsed.success) {
    throw invalidInput(parsed.error, { credentials: raw }, ['credentials']);
  }
  return checkAccount(context, (io) => platform.connectAccount(parsed.data, io));
}

/** @throws ServiceError platform_rejected (refused), platform_unavailable (no answer) */
export async function checkAccount(
  context: Context,
  check: (io: PlatformIo) => Promise<ConnectedAccount<unknown>>,
): Promise<ConnectedAccount<unknown>> {
  try {
    return await check(platformIo(context, CONNECT_TIMEOUT_MS));
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    const refused = error.kind === 'rejected' || error.kind === 'reconnect';
    // Checking credentials changes nothing on the platform, so a lost answer is treated as an outage.
    throw new ServiceError(refused ? 'platform_rejected' : 'platform_unavailable', error.message, { cause: error });
  }
}
