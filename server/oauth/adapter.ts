/**
 * Stores the records of oidc-provider in our own table. The library knows only the machine's clock, so this adapter
 * converts instants to our clock when writing and back when reading. Our clock alone decides what has expired.
 */
import type { Adapter, AdapterFactory, AdapterPayload, Client } from 'oidc-provider';
import { validate as isUuid } from 'uuid';
import type { OauthArtifact } from '../../entities/oauth-artifact.ts';
import type { Context } from '../../services/context.ts';
import { findArtifact, putArtifact, removeArtifact } from '../../services/oauth/artifacts.ts';
import { type Ending, revokeGrant } from '../../services/oauth/revoke-grant.ts';
import { consume, type Presented, storeSuccessor } from '../../services/oauth/store-successor.ts';
import type { MachineTime } from '../database-clock.ts';
import { REQUEST_ID_HEADER } from '../rate-headers.ts';
import { providerLibrary } from './provider-library.ts';
import { countForGrant } from './token-limits.ts';
import type { WithPublicLimiter } from '../../services/limits/rate-limiter.ts';

/**
 * A client that repeats a request, or whose answer was lost, is not treated as an attacker within this time
 * (docs/contract/agents.md#tool-results).
 */
const GRACE_MS = 10_000;

/** What a client presents to obtain tokens. */
const SHOWN_FOR_TOKENS: ReadonlySet<string> = new Set(['AuthorizationCode', 'RefreshToken']);

/** Seconds that a registered client is kept while no person has agreed to it. */
const UNUSED_CLIENT_SECONDS = 86_400;

/** What the client of a request presented, until the refresh token that is issued for it is stored. */
const presentedIn = new WeakMap<object, Presented>();

/** How far our clock is ahead of the machine's, in whole seconds. */
export function clockLead(context: Context, machine: MachineTime): number {
  return Math.floor(context.clock.now().getTime() / 1_000) - Math.floor(machine.wall() / 1_000);
}

export function oauthAdapter(context: Context & WithPublicLimiter, machine: MachineTime): AdapterFactory {
  // Our pages know who is signed in. The session record of oidc-provider is never read.
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

function adapterOf(context: Context & WithPublicLimiter, kind: string, lead: () => number): Adapter {
  return {
    ...NOTHING,
    upsert: async (id, payload, expiresIn = UNUSED_CLIENT_SECONDS) => {
      const expiresAt = new Date(context.clock.now().getTime() + expiresIn * 1_000);
      const grantId = kind === 'Grant' ? id : (payload.grantId ?? null);
      const payloadWithoutId = withoutId(payload, lead());
      refuseUnstorable(payloadWithoutId);
      const artifact = { payload: payloadWithoutId, grantId, expiresAt };
      const presented = kind === 'RefreshToken' ? takePresented() : undefined;
      if (presented === undefined) await putArtifact(context, kind, id, artifact);
      else refuseUsed(await storeSuccessor(context, presented, { id, artifact }));
    },
    find: async (id) => {
      const found = await findArtifact(context, kind, id);
      if (found === null) return undefined;
      // A client has no expiry: it is deleted when it is no longer needed.
      if (kind === 'Client') return found.payload as AdapterPayload;
      if (SHOWN_FOR_TOKENS.has(kind)) await countForGrant(context, found.grantId);
      return withId(context, id, found, lead());
    },
    consume: async (id) => {
      const presented: Presented = { kind, id, mayRepeat: (found) => isWithinGrace(context, found) };
      const { ctx } = providerLibrary().Provider;
      if (SHOWN_FOR_TOKENS.has(kind) && ctx?.oidc.client && getsRefreshTokens(ctx.oidc.client))
        presentedIn.set(ctx, presented);
      else refuseUsed(await consume(context, presented));
    },
    destroy: async (id) => {
      if (kind === 'Grant' && isUuid(id)) await revokeGrant(context, id, ending());
      else await removeArtifact(context, kind, id);
    },
    revokeByGrantId: async (grantId) => {
      await revokeGrant(context, grantId, ending());
    },
  };
}

/** Whether the tokens for a client include a refresh token. */
export function getsRefreshTokens(client: Client): boolean {
  return client.grantTypeAllowed('refresh_token');
}

function takePresented(): Presented | undefined {
  const { ctx } = providerLibrary().Provider;
  if (ctx === undefined) return undefined;
  const presented = presentedIn.get(ctx);
  presentedIn.delete(ctx);
  return presented;
}

function refuseUsed(isValid: boolean): void {
  if (!isValid) throw new (providerLibrary().errors.InvalidGrant)('it was already used');
}

/** PostgreSQL cannot store NUL or half of a surrogate pair. A request with either is the caller's error. */
function refuseUnstorable(payload: Record<string, unknown>): void {
  JSON.stringify(payload, (name, value: unknown) => {
    if (!isStorable(name) || (typeof value === 'string' && !isStorable(value)))
      throw new (providerLibrary().errors.InvalidRequest)('it contains an invalid character');
    return value;
  });
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/**
 * Tells why a grant ends. A client revokes a grant at one endpoint only. Anywhere else it ends because a code or a
 * refresh token was used twice.
 */
function ending(): Ending {
  const { oidc, res } = providerLibrary().Provider.ctx ?? {};
  const requestId = String(res?.getHeader(REQUEST_ID_HEADER) ?? '');
  return { cause: oidc?.route === 'revocation' ? 'returned' : 'replayed', requestId };
}

/**
 * Removes the id, which a client or browser presents as a secret: it must not be stored, not even in the address of a
 * request.
 */
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
