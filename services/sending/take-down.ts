/**
 * Deletes a published post on its platform, newest part first, with a ledger row for each call. Of several concurrent
 * requests one makes the calls; the others wait for its outcome. Emits post.deleted.
 */
import { type ItemError, storedError } from '../../errors/item-error.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { type AnyPlatform, PlatformFailure, type Session } from '../../platforms/contract.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { type ConnectionCredential, connectionCredential } from '../connections/connection-credential.ts';
import { openSession } from '../connections/open-session.ts';
import { requireReconnect } from '../connections/require-reconnect.ts';
import { claimRemoval, markDeleted, releaseRemoval, type RemovablePost, removalState } from './claim-removal.ts';
import { ClaimLost, closedRows, publishedParts } from './ledger.ts';
import { closeRemovals } from './removal-ledger.ts';
import { removeParts } from './remove-parts.ts';
import { outcomeOf } from './send-part.ts';

/** Polling interval for a deletion by another request, in milliseconds. */
const POLL_INTERVAL_MS = 100;

/**
 * Resolves when the post is deleted, by this request or by another.
 *
 * @throws ServiceError platform_rejected, platform_unavailable or reconnect_required; the post then stays sent
 */
export async function takeDown(context: Context, platform: AnyPlatform, postId: string): Promise<void> {
  let awaited: string | null = null;
  for (;;) {
    const state = await removalState(context, postId);
    if (state?.status !== 'sent') return;
    if (awaited !== null && state.claim !== awaited) await throwFailureOf(context, platform, postId, awaited);
    awaited = state.claim;
    const claimed = awaited === null ? await claimRemoval(context, postId) : null;
    if (claimed !== null && (await finishRemoval(context, claimed))) return;
    if (awaited !== null) await context.clock.sleep(POLL_INTERVAL_MS);
  }
}

/**
 * Makes the calls of a claimed deletion and settles the post: deleted, or sent with the parts that remain.
 *
 * @returns false when another process has taken over meanwhile
 * @throws ServiceError as {@link takeDown}
 */
export async function finishRemoval(context: Context, post: RemovablePost): Promise<boolean> {
  const platform = platformOf(context.platforms, post.platform_id);
  try {
    const connection = await credentialOf(context, post.connection_id);
    const session = await sessionOf(context, platform, post, connection);
    const existing = publishedParts(await closedRows(context, post));
    const { left, error } = await removeParts(context, { platform, session }, post, existing);
    if (error === null) return await markDeleted(context, post);
    await releaseRemoval(context, post, left);
    if (error.code === 'reconnect_required') await requireReconnect(context, connection, error.message);
    throw refusal(platform, error);
  } catch (error) {
    if (error instanceof ClaimLost) return false;
    throw error;
  }
}

async function sessionOf(
  context: Context,
  platform: AnyPlatform,
  post: RemovablePost,
  connection: ConnectionCredential,
): Promise<Session<unknown>> {
  try {
    return openSession(context, platform, connection);
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    await closeRemovals(context, post, outcomeOf(error));
    await releaseRemoval(context, post, null);
    throw refusal(platform, outcomeOf(error).error, error);
  }
}

/** A delete is safe to repeat, so the caller gets a lost answer as an outage. */
function refusal(platform: AnyPlatform, { code, message }: ItemError, cause?: unknown): ServiceError {
  const wireCode = code === 'outcome_unknown' ? 'platform_unavailable' : code;
  return new ServiceError(wireCode, `${platform.name} did not delete the post, which stays up: ${message}`, { cause });
}

/** Throws the error of a deletion by another request, if it failed. */
async function throwFailureOf(context: Context, platform: AnyPlatform, postId: string, claim: string): Promise<void> {
  const row = await tables(context.db.queries)
    .selectFrom('attempts')
    .select(['error_code', 'error_message'])
    .where('post_id', '=', postId)
    .where('step', '=', 'delete')
    .where('token', '=', claim)
    .where('error_code', 'is not', null)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  const error = row === undefined ? null : storedError(row);
  if (error !== null) throw refusal(platform, error);
}

async function credentialOf(context: Context, connectionId: string): Promise<ConnectionCredential> {
  const row = await tables(context.db.queries)
    .selectFrom('connections')
    .select(['platform_account_id', 'handle', 'credentials'])
    .where('id', '=', connectionId)
    .executeTakeFirst();
  if (row === undefined) throw new Error(`connection ${connectionId} is gone`);
  return connectionCredential(connectionId, row);
}
