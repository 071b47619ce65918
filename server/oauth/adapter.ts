/**
 * Where oidc-provider keeps its things: our own table. It counts time by the machine's clock and has no other, so
 * instants are turned into ours on the way in and back on the way out; what has ended is decided by our clock alone.
 */
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import { validate as isUuid } from 'uuid';
import type { OauthArtifact } from '../../entities/oauth-artifact.ts';
import type { Context } from '../../services/context.ts';
import { consumeArtifact, findArtifact, putArtifact, removeArtifact } from '../../services/oauth/artifacts.ts';
import { type Ending, revokeGrant } from '../../services/oauth/revoke-grant.ts';
import type { MachineTime } from '../database-clock.ts';
import { REQUEST_ID_HEADER } from '../rate-headers.ts';
import { errors, Provider } from './provider-library.ts';
import { countForClient } from './token-limits.ts';

/** A client that asks twice at once, or whose answer was lost, is not taken for a thief within so long (docs/contract/agents.md#tool-results). */
const GRACE_MS = 10_000;

/** What a client shows to be given tokens. */
const SHOWN_FOR_TOKENS: ReadonlySet<string> = new Set(['AuthorizationCode', 'RefreshToken']);

/** Seconds a registered client is kept to which nobody agrees. */
const UNUSED_CLIENT_SECONDS = 86_400;

/** How far our clock is ahead of the machine's, in whole seconds. */
export function clockLead(context: Context, machine: MachineTime): number {
  return Math.floor(context.clock.now().getTime() / 1_000) - Math.floor(machine.wall() / 1_000);
}

export function oauthAdapter(context: Context, machine: MachineTime): AdapterFactory {
  // Our pages know who is signed in. What oidc-provider would remember of it is never asked for.
  const forgetful = new Set(['Session']);
  return (kind) => (forgetful.has(kind) ? NOTHING : adapterOf(context, kind, () => clockLead(context, machine)));
}

const nothing = async () => undefined;

const NOTHING: Adapter = {
  upsert: nothing,
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
};

function adapterOf(context: Context, kind: string, lead: () => number): Adapter {
  return {
    ...NOTHING,
    upsert: async (id, payload, expiresIn = UNUSED_CLIENT_SECONDS) => {
      const expiresAt = new Date(context.clock.now().getTime() + expiresIn * 1_000);
      const grantId = kind === 'Grant' ? id : (payload.grantId ?? null);
      const kept = withoutId(payload, lead());
      refuseUnstorable(kept);
      await putArtifact(context, kind, id, { payload: kept, grantId, expiresAt });
    },
    find: async (id) => {
      const found = await findArtifact(context, kind, id);
      if (found === null) return undefined;
      // A client has no end of its own: it goes when nobody needs it.
      if (kind === 'Client') return found.payload as AdapterPayload;
      if (SHOWN_FOR_TOKENS.has(kind)) await countForClient(context, found.payload['clientId']);
      return withId(context, id, found, lead());
    },
    consume: async (id) => {
      if (await consumeArtifact(context, kind, id)) return;
      const found = await findArtifact(context, kind, id);
      if (found === null || !isWithinGrace(context, found)) throw new errors.InvalidGrant('it was used already');
    },
    destroy: async (id) => {
      if (kind === 'Grant' && isUuid(id)) await revokeGrant(context, id, ending());
      else await removeArtifact(context, kind, id);
    },
    revokeByGrantId: (grantId) => revokeGrant(context, grantId, ending()),
  };
}

/** PostgreSQL keeps no character 0 and no half of a character; whoever sends one is wrong, and not we. */
function refuseUnstorable(payload: Record<string, unknown>): void {
  JSON.stringify(payload, (_name, value: unknown) => {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()))
      throw new errors.InvalidRequest('there is a character that is none');
    return value;
  });
}

/** A client gives a grant back at one place only; elsewhere it ends because a code or a refresh token came again. */
function ending(): Ending {
  const { oidc, res } = Provider.ctx ?? {};
  const requestId = String(res?.getHeader(REQUEST_ID_HEADER) ?? '');
  return { cause: oidc?.route === 'revocation' ? 'returned' : 'replayed', requestId };
}

/** The id is what a client or a browser shows, so it is not written down: neither as such nor in the address of a request. */
function withoutId(
  { jti: _id, returnTo: _address, ...payload }: AdapterPayload,
  lead: number,
): Record<string, unknown> {
  return { ...payload, ...shifted(payload, lead) };
}

function withId(context: Context, id: string, found: OauthArtifact, lead: number): AdapterPayload {
  const payload = found.payload as AdapterPayload;
  const returnTo = `${context.config.publicUrl}/oauth/authorize/${id}`;
  const consumed = Boolean(found.consumedAt) && !isWithinGrace(context, found);
  return {
    ...payload,
    ...shifted(payload, -lead),
    jti: id,
    ...(found.kind === 'Interaction' ? { returnTo } : {}),
    ...(consumed ? { consumed: true } : {}),
  };
}

function shifted({ iat, exp }: AdapterPayload, seconds: number): { iat?: number; exp?: number } {
  return {
    ...(iat === undefined ? {} : { iat: iat + seconds }),
    ...(exp === undefined ? {} : { exp: exp + seconds }),
  };
}

function isWithinGrace(context: Context, { kind, consumedAt }: OauthArtifact): boolean {
  if (kind !== 'RefreshToken' || !consumedAt) return false;
  return context.clock.now().getTime() - consumedAt.getTime() <= GRACE_MS;
}
