/** Takes a published post down on its platform, newest part first, each call in the ledger. Emits post.deleted. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { type AnyPlatform, PlatformFailure, type Session } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { type ConnectionLogin, connectionLogin, type LoginRow } from '../connections/connection-login.ts';
import { openSession } from '../connections/open-session.ts';
import { requireReconnect } from '../connections/require-reconnect.ts';
import { deletedEvent } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import { closedRows } from './ledger.ts';
import type { PostRow } from './post-view.ts';
import { removeParts, type StandingPart } from './remove-parts.ts';

/** @throws ServiceError platform_rejected, platform_unavailable or reconnect_required; the post then stays as it is. */
export async function takeDown(context: Context, platform: AnyPlatform, post: PostRow): Promise<void> {
  const session = sessionOf(context, platform, await loginOf(context, post.connection_id));
  const { error } = await removeParts(context, { platform, session }, post, await standingParts(context, post));
  if (error !== null) {
    if (error.code === 'reconnect_required') await requireReconnect(context, post.connection_id, error.message);
    // A delete may be repeated freely, so one whose answer was lost is simply an outage to the caller.
    const code = error.code === 'outcome_unknown' ? 'platform_unavailable' : error.code;
    throw new ServiceError(code, refusal(platform, error.message));
  }
  await markDeleted(context, post);
}

/** What is up of the present send: its accepted parts without those that an earlier delete took down. */
async function standingParts(context: Context, post: PostRow): Promise<StandingPart[]> {
  const rows = await closedRows(context, post);
  const gone = new Set(
    rows.filter(({ step, state }) => step === 'delete' && state === 'accepted').map(({ index }) => index),
  );
  return rows
    .flatMap(({ step, published }) => (published === null || step === 'delete' ? [] : [published]))
    .map((published, index) => ({ index, published }))
    .filter(({ index }) => !gone.has(index));
}

function sessionOf(context: Context, platform: AnyPlatform, login: ConnectionLogin): Session<unknown> {
  try {
    return openSession(context, platform, login);
  } catch (error) {
    throw error instanceof PlatformFailure
      ? new ServiceError('reconnect_required', refusal(platform, error.message), { cause: error })
      : error;
  }
}

function refusal(platform: AnyPlatform, reason: string): string {
  return `${platform.name} did not delete the post, which stays up: ${reason}`;
}

async function loginOf(context: Context, connectionId: string): Promise<ConnectionLogin> {
  const sql = 'select platform_account_id, handle, credentials from connections where id = $1';
  const [row] = await query<LoginRow>(context.db.em(), sql, [connectionId]);
  if (row === undefined) throw new Error(`connection ${connectionId} is gone`);
  return connectionLogin(connectionId, row);
}

async function markDeleted(context: Context, post: PostRow): Promise<void> {
  const now = context.clock.now();
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const sql = `update posts set status = 'deleted', deleted_at = $2, next_read_at = null where id = $1 and status = 'sent' returning id`;
    // Of two deletes at once, one marks the post and emits the event.
    if ((await query(em, sql, [post.id, now])).length === 0) return;
    await storeEvents(em, [deletedEvent(context, post, now)]);
  });
}
