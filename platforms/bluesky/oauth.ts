/** Links an account by its own server's consent page (the OAuth profile of AT Protocol: PAR, PKCE, DPoP). */
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { type ConnectedAccount, type JsonObject, PlatformFailure, type PlatformIo } from '../contract.ts';
import type { AlternativeConnect, OauthIo, OauthRequest, Typed } from '../connect.ts';
import { callPlatform, stringField, withoutPublishing } from '../http.ts';
import { oauthFailure, requestOptions } from '../oauth.ts';
import { originOf, ServerAddress } from '../origin.ts';
import { grantedScopes } from '../scopes.ts';
import { withNonce } from '../token-endpoint.ts';
import { failure } from './api.ts';
import { boundFetch, makeKey, type PrivateKey, proofsBy } from './dpop.ts';
import { authorizationServerOf, identityOf } from './identity.ts';
import { type BlueskyClient, canBeKnown, clientDocument, clientOf, proofOf, SCOPE } from './oauth-client.ts';
import { type OauthCredential, tokensOf } from './oauth-credential.ts';

/** State that is kept until the customer returns. */
interface Memo {
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly client: BlueskyClient;
  readonly boundTo: PrivateKey;
}

export const alternative: AlternativeConnect = {
  button: 'Continue to your server',
  hint: 'Agree on the page of your own server. No app password is needed then.',
  fields: [
    {
      name: 'home',
      label: 'Server of your account',
      hint: 'Only if it is not Bluesky’s own: its address.',
      kind: 'server',
      required: false,
    },
  ],
  oauth: {
    isSetUp: (_apps, endpoints) => canBeKnown(endpoints),
    pageSources: () => null,
    clientDocument,
    begin,
    finish,
  },
  connectAccount,
};

async function begin(typed: Typed, request: OauthRequest, io: OauthIo) {
  const address = ServerAddress.safeParse(typed['home'] ?? io.endpoints.BLUESKY_SERVICE_URL);
  if (!address.success) throw new PlatformFailure('rejected', 'Server: expected an address such as bsky.social.');
  const as = await authorizationServerOf(io, originOf(address.data));
  const client = await clientOf(io, request.redirectUri);
  const boundTo = await makeKey();
  const url = new URL(required(as.authorization_endpoint, as));
  const requestUri = await pushRequest(io, { as, client, boundTo }, request);
  url.search = new URLSearchParams({ client_id: client.clientId, request_uri: requestUri }).toString();
  const memo: Memo = { issuer: as.issuer, tokenUrl: required(as.token_endpoint, as), client, boundTo };
  return { url: url.href, memo: { ...memo } as unknown as JsonObject };
}

/** The client and the authorization server of one exchange. */
interface Parties {
  readonly as: oauth.AuthorizationServer;
  readonly client: BlueskyClient;
  readonly boundTo: PrivateKey;
}

async function pushRequest(io: PlatformIo, { as, client, boundTo }: Parties, request: OauthRequest): Promise<string> {
  const { clientId: client_id, redirectUri } = client;
  const parameters = {
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: SCOPE,
    state: request.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(request.verifier),
    code_challenge_method: 'S256',
  };
  const options = { ...requestOptions(io), DPoP: await proofsBy(boundTo) };
  const proof = await proofOf(client);
  try {
    return await withNonce(async () => {
      const answer = await oauth.pushedAuthorizationRequest(as, { client_id }, proof, parameters, options);
      return (await oauth.processPushedAuthorizationResponse(as, { client_id }, answer)).request_uri;
    });
  } catch (error) {
    throw oauthFailure(new URL(as.issuer).host, error);
  }
}

async function finish(answer: URLSearchParams, request: OauthRequest, kept: JsonObject, io: OauthIo) {
  const { issuer, tokenUrl, client, boundTo } = kept as unknown as Memo;
  const as = { issuer, token_endpoint: tokenUrl, authorization_response_iss_parameter_supported: true };
  const granted = await exchange(io, { as, client, boundTo }, answer, request);
  const did = granted['sub'];
  if (typeof did !== 'string') throw new PlatformFailure('rejected', 'The server did not say whose account it is.');
  const { pds, handle } = await identityOf(io, did);
  // Otherwise any server could authorize access to accounts that other servers store.
  const rightful = await authorizationServerOf(io, pds);
  if (rightful.issuer !== issuer) {
    throw new PlatformFailure('rejected', `The account ${handle} is not of ${new URL(issuer).host}.`);
  }
  const { clientId, key: clientKey } = client;
  const credential: OauthCredential = { pds, issuer, tokenUrl, clientId, clientKey, boundTo, ...tokensOf(granted, io) };
  const scopes = grantedScopes(granted, SCOPE);
  return [{ label: handle, credentials: { did, login: credential } as unknown as JsonObject, scopes }];
}

async function exchange(io: PlatformIo, parties: Parties, answer: URLSearchParams, request: OauthRequest) {
  const { as, client, boundTo } = parties;
  const { clientId: client_id, redirectUri } = client;
  const options = { ...requestOptions(io), DPoP: await proofsBy(boundTo) };
  const proof = await proofOf(client);
  try {
    const checked = oauth.validateAuthResponse(as, { client_id }, answer, request.state);
    return await withNonce(async () => {
      const { verifier } = request;
      const asked = oauth.authorizationCodeGrantRequest(
        as,
        { client_id },
        proof,
        checked,
        redirectUri,
        verifier,
        options,
      );
      return oauth.processAuthorizationCodeResponse(as, { client_id }, await asked);
    });
  } catch (error) {
    throw oauthFailure(new URL(as.issuer).host, error);
  }
}

const Granted = z.object({ did: z.string(), login: z.looseObject({ pds: z.string() }) });

/** Asks the account's own server which account the token belongs to. */
function connectAccount(granted: JsonObject, io: PlatformIo): Promise<ConnectedAccount<OauthCredential>> {
  const { did } = Granted.parse(granted);
  const credential = granted['login'] as unknown as OauthCredential;
  return withoutPublishing(async () => {
    const fetch = boundFetch(io, credential.accessToken, credential.boundTo);
    const answer = await callPlatform({ ...io, fetch }, `${credential.pds}/xrpc/com.atproto.server.getSession`);
    if (answer.status !== 200) throw failure(answer);
    if (stringField(answer.body, 'did') !== did) {
      throw new PlatformFailure('rejected', 'The server let you in to another account than it said.');
    }
    return { platformAccountId: did, handle: stringField(answer.body, 'handle') ?? did, credential };
  });
}

function required(url: string | undefined, { issuer }: oauth.AuthorizationServer): string {
  if (url !== undefined) return url;
  throw new PlatformFailure('rejected', `${new URL(issuer).host} does not say where its page is.`);
}
