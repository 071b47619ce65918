/**
 * The authorization server of an AT Protocol server. It has pushed requests, tokens bound to a key, changing
 * nonces, and refresh tokens for one use. It validates each proof completely and accepts it once. It is also the
 * directory that resolves accounts.
 */
import { createHash, createPublicKey, verify, type webcrypto } from 'node:crypto';
import type { WireAnswer, WireCall } from './wire.ts';

interface BoundToken {
  readonly did: string;
  /** Thumbprint of the key. */
  readonly key: string;
  readonly clientId: string;
  readonly expiresAt: number;
}

interface Asked extends BoundToken {
  readonly parameters: URLSearchParams;
}

/** The accounts of the fake. */
export interface OauthPeople {
  readonly now: () => Date;
  readonly origin: () => string;
  find(did: string): { readonly did: string; readonly handle: string } | undefined;
}

export interface FakeBlueskyOauth {
  /** DID of the user who is signed in in the customer's browser; null declines. */
  signedIn: string | null;
  /** Data server in the identity documents, instead of this one. */
  keptElsewhere: string | null;
  /** Lifetime of the access tokens that are issued. */
  accessSeconds: number;
  /** How far the clock of the install is ahead of this server's. */
  installAheadSeconds: number;
  /** Public keys of clients with their own key, by client id. */
  readonly clientKeys: Map<string, webcrypto.JsonWebKey>;
  /** Errors that the next token requests get instead of a response. */
  readonly tokenAnswers: WireAnswer[];
  /** Parameters of the pushed requests. */
  readonly pushed: URLSearchParams[];
  /** Expires all access tokens. */
  expire(): void;
  /** Invalidates all refresh tokens. */
  revoke(): void;
  /** Answers requests that are not XRPC; undefined for any other path. */
  answer(call: WireCall): WireAnswer | undefined;
  /** The DID of a call with a bound token, or the error that servers return. */
  owner(call: WireCall): string | WireAnswer;
}

/** By how much the time of a proof may differ. */
const PROOF_SECONDS = 190;

export function createFakeBlueskyOauth({ now, origin, find }: OauthPeople): FakeBlueskyOauth {
  const requests = new Map<string, Asked>();
  const codes = new Map<string, Asked>();
  const access = new Map<string, BoundToken>();
  const refresh = new Map<string, BoundToken>();
  const usedProofs = new Set<string>();
  const usedChallenges = new Set<string>();
  let issued = 0;

  const next = (kind: string) => `${kind}-${(issued += 1)}`;
  /** Changes every three minutes. */
  const nonce = () => `nonce-${Math.floor(now().getTime() / 180_000)}`;
  const refused = (status: number, error: string, error_description: string): WireAnswer => ({
    status,
    json: { error, error_description },
    headers: { 'dpop-nonce': nonce() },
  });

  /** Returns the thumbprint of the key that a request is proved with, or why the proof is invalid. */
  function proved(call: WireCall, accessToken?: string): { key: string } | { problem: string } {
    const [head = '', claims = '', signature = ''] = String(call.headers['dpop'] ?? '').split('.');
    try {
      const { jwk, typ, alg } = decoded(head) as { jwk: webcrypto.JsonWebKey; typ: string; alg: string };
      const { htm, htu, jti, ath, nonce: shown, iat } = decoded(claims) as Record<string, string>;
      if (Math.abs(present() - Number(iat)) > PROOF_SECONDS) return { problem: 'invalid_dpop_proof' };
      const key = createPublicKey({ key: jwk, format: 'jwk' });
      const signed = Buffer.from(`${head}.${claims}`);
      const isSigned = verify(
        'sha256',
        signed,
        { key, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      );
      if (!isSigned || typ !== 'dpop+jwt' || alg !== 'ES256' || 'd' in jwk) return { problem: 'invalid_dpop_proof' };
      if (htm !== call.method || htu !== origin() + call.path) return { problem: 'invalid_dpop_proof' };
      if (ath !== (accessToken && hash(accessToken))) return { problem: 'invalid_dpop_proof' };
      if (shown !== nonce()) return { problem: 'use_dpop_nonce' };
      if (jti === undefined || usedProofs.has(jti)) return { problem: 'invalid_dpop_proof' };
      usedProofs.add(jti);
      return { key: hash(JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y })) };
    } catch {
      return { problem: 'invalid_dpop_proof' };
    }
  }

  /** Seconds since 1970, by the clock of this server. Libraries sign with the clock of the machine. */
  const present = () => Math.floor(Date.now() / 1_000) - fake.installAheadSeconds;

  /** Why a client is not authenticated. Like Bluesky's own server, this one tolerates no difference of the clocks. */
  function clientProblem(clientId: string, form: URLSearchParams): WireAnswer | undefined {
    if (!isItself(clientId, form)) return refused(401, 'invalid_client', 'Unknown client');
    const [, claims] = (form.get('client_assertion') ?? '').split('.');
    const { iat = 0, nbf = 0 } = claims === undefined ? {} : (decoded(claims) as { iat?: number; nbf?: number });
    const failed = (claim: string, why: string) =>
      refused(
        401,
        'invalid_client',
        `Validation of "client_assertion" failed: "${claim}" claim timestamp check failed${why}`,
      );
    if (nbf > present()) return failed('nbf', '');
    if (iat > present()) return failed('iat', ' (it should be in the past)');
    return claims !== undefined && present() - iat > 60 ? failed('iat', ' (too far in the past)') : undefined;
  }

  /** Checks the client authentication of a client with a key. */
  function isItself(clientId: string, form: URLSearchParams): boolean {
    const jwk = clientKeys.get(clientId);
    if (jwk === undefined) return clientId.startsWith('http://localhost?') && !form.has('client_assertion');
    const [head = '', claims = '', signature = ''] = (form.get('client_assertion') ?? '').split('.');
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const signed = Buffer.from(`${head}.${claims}`);
    const { iss, sub } = decoded(claims) as Record<string, string>;
    return (
      iss === clientId &&
      sub === clientId &&
      verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
    );
  }

  function push(call: WireCall): WireAnswer {
    const parameters = new URLSearchParams(call.bytes.toString());
    const clientId = parameters.get('client_id') ?? '';
    const proof = proved(call);
    if ('problem' in proof) return refused(400, proof.problem, 'DPoP proof is not taken');
    const problem = clientProblem(clientId, parameters);
    if (problem !== undefined) return problem;
    if (parameters.get('code_challenge_method') !== 'S256') return refused(400, 'invalid_request', 'PKCE is required');
    const own = new URL(clientId).searchParams.get('redirect_uri');
    if (own !== null && own !== parameters.get('redirect_uri')) {
      return refused(400, 'invalid_request', 'Invalid redirect_uri parameter');
    }
    pushed.push(parameters);
    const request_uri = `urn:ietf:params:oauth:request_uri:${next('req')}`;
    requests.set(request_uri, { parameters, did: '', key: proof.key, clientId, expiresAt: 0 });
    return { status: 201, json: { request_uri, expires_in: 300 }, headers: { 'dpop-nonce': nonce() } };
  }

  function authorize({ query }: WireCall): WireAnswer {
    const asked = requests.get(query.get('request_uri') ?? '');
    if (asked === undefined || asked.clientId !== query.get('client_id'))
      return { status: 400, text: '<h1>Error</h1>' };
    requests.delete(query.get('request_uri') ?? '');
    const back = new URL(asked.parameters.get('redirect_uri') ?? '');
    back.searchParams.set('iss', origin());
    back.searchParams.set('state', asked.parameters.get('state') ?? '');
    if (fake.signedIn === null) back.searchParams.set('error', 'access_denied');
    else {
      const code = next('code');
      codes.set(code, { ...asked, did: fake.signedIn });
      back.searchParams.set('code', code);
    }
    return { status: 302, text: '', headers: { location: back.href } };
  }

  function token(call: WireCall): WireAnswer {
    const scripted = fake.tokenAnswers.shift();
    if (scripted !== undefined) return scripted;
    const form = new URLSearchParams(call.bytes.toString());
    const proof = proved(call);
    if ('problem' in proof) return refused(400, proof.problem, 'DPoP proof is not taken');
    const clientId = form.get('client_id') ?? '';
    const problem = clientProblem(clientId, form);
    if (problem !== undefined) return problem;
    const grant = form.get('grant_type') === 'refresh_token' ? renewed(form) : redeemed(form);
    if (grant === undefined || grant.key !== proof.key || grant.clientId !== clientId) {
      return refused(400, 'invalid_grant', 'Invalid grant');
    }
    const [access_token, refresh_token] = [next('bound-access'), next('bound-refresh')];
    const bound = { did: grant.did, key: grant.key, clientId };
    access.set(access_token, { ...bound, expiresAt: now().getTime() + fake.accessSeconds * 1_000 });
    refresh.set(refresh_token, { ...bound, expiresAt: Infinity });
    const json = { access_token, refresh_token, token_type: 'DPoP', expires_in: fake.accessSeconds, sub: grant.did };
    return { status: 200, json: { ...json, scope: 'atproto transition:generic' }, headers: { 'dpop-nonce': nonce() } };
  }

  function renewed(form: URLSearchParams): BoundToken | undefined {
    const stale = form.get('refresh_token') ?? '';
    const found = refresh.get(stale);
    refresh.delete(stale);
    return found;
  }

  function redeemed(form: URLSearchParams): BoundToken | undefined {
    const asked = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = asked?.parameters.get('code_challenge') ?? '';
    const isFirst = !usedChallenges.has(challenge);
    usedChallenges.add(challenge);
    const isSame = asked?.parameters.get('redirect_uri') === form.get('redirect_uri');
    const isShown = challenge === hash(form.get('code_verifier') ?? '');
    return isSame && isShown && isFirst ? asked : undefined;
  }

  const documents: Record<string, () => unknown> = {
    '/.well-known/oauth-protected-resource': () => ({ resource: origin(), authorization_servers: [origin()] }),
    '/.well-known/oauth-authorization-server': () => ({
      issuer: origin(),
      authorization_endpoint: `${origin()}/oauth/authorize`,
      token_endpoint: `${origin()}/oauth/token`,
      pushed_authorization_request_endpoint: `${origin()}/oauth/par`,
      authorization_response_iss_parameter_supported: true,
      require_pushed_authorization_requests: true,
      dpop_signing_alg_values_supported: ['ES256'],
      response_types_supported: ['code'],
    }),
  };

  function identity(did: string): WireAnswer {
    const account = find(did);
    if (account === undefined) return { status: 404, json: { message: `DID not registered: ${did}` } };
    const serviceEndpoint = fake.keptElsewhere ?? origin();
    const service = [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint }];
    return { status: 200, json: { id: did, alsoKnownAs: [`at://${account.handle}`], service } };
  }

  const clientKeys = new Map<string, webcrypto.JsonWebKey>();
  const pushed: URLSearchParams[] = [];
  const fake: FakeBlueskyOauth = {
    signedIn: null,
    keptElsewhere: null,
    accessSeconds: 3_600,
    installAheadSeconds: 0,
    clientKeys,
    tokenAnswers: [],
    pushed,
    expire: () => access.clear(),
    revoke: () => refresh.clear(),
    answer: (call) => {
      const document = documents[call.path];
      if (document !== undefined) return { status: 200, json: document() };
      if (call.path === '/oauth/par') return push(call);
      if (call.path === '/oauth/authorize') return authorize(call);
      if (call.path === '/oauth/token') return token(call);
      return call.path.startsWith('/did:plc:') ? identity(call.path.slice(1)) : undefined;
    },
    owner: (call) => {
      const shown = (call.headers.authorization ?? '').replace(/^DPoP /, '');
      const proof = proved(call, shown);
      const challenge = (error: string): WireAnswer => ({
        status: 401,
        json: { error, message: 'The token is not taken' },
        headers: { 'www-authenticate': `DPoP error="${error}"`, 'dpop-nonce': nonce() },
      });
      if ('problem' in proof) return challenge(proof.problem);
      const bound = access.get(shown);
      if (bound === undefined || bound.key !== proof.key || bound.expiresAt <= now().getTime()) {
        return challenge('invalid_token');
      }
      return bound.did;
    },
  };
  return fake;
}

function decoded(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
