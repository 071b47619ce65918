/**
 * The clients that agents use: they discover everything from a bare 401, refresh automatically and request more scopes
 * when required.
 */
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import * as oauth from 'oauth4webapi';
import { beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import { aHost, agree } from './agent-host.ts';
import { CALLBACK, codeFor, type Person, redeem, register, RESOURCE, signIn, VERIFIER } from './agents.ts';

let world: World;
let person: Person;
beforeAll(async () => {
  world = await startWorld();
  person = await signIn(world);
});

/** The install listens on another port than that of its public address. */
const toWorld = (url: string | URL, init?: object) => fetch(String(url).replace(PUBLIC_URL, world.url), init);

function transportOf(provider: OAuthClientProvider, path = ''): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(`${RESOURCE}${path}`), { authProvider: provider, fetch: toWorld });
}

const newClient = (mode: 'auto' | 'legacy') =>
  new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: { mode } });

async function connected(mode: 'auto' | 'legacy', host = aHost(), path = ''): Promise<Client> {
  const transport = transportOf(host.provider, path);
  await expect(newClient(mode).connect(transport)).rejects.toThrow(UnauthorizedError);
  await transport.finishAuth(await agree(person.browser, host.asked.at(-1)));
  const client = newClient(mode);
  await client.connect(transportOf(host.provider, path));
  return client;
}

describe('the client of the MCP SDK', () => {
  it.each(['auto', 'legacy'] as const)('completes the whole flow from a 401, era %s', async (mode) => {
    const host = aHost();
    const client = await connected(mode, host);

    expect(Object.fromEntries(host.asked[0]?.searchParams ?? [])).toMatchObject({
      resource: RESOURCE,
      scope: 'connections:read posts:read posts:write analytics:read profiles:read',
      code_challenge_method: 'S256',
    });
    const { structuredContent } = await client.callTool({ name: 'list_connections', arguments: {} });
    expect(structuredContent).toMatchObject({ connections: [{ slug: world.sandboxSlug }] });
  });

  it('refreshes automatically when its token has expired', async () => {
    const host = aHost();
    const client = await connected('auto', host);
    const before = host.stored['tokens'] as { access_token: string; refresh_token: string };
    world.clock.advance(700_000);
    await client.callTool({ name: 'list_connections', arguments: {} });

    const after = host.stored['tokens'] as typeof before;
    expect([after.access_token, after.refresh_token]).not.toEqual([before.access_token, before.refresh_token]);
    expect(host.asked).toHaveLength(1);
  });

  it('requests the scope that a call needs, and then succeeds', async () => {
    const host = aHost();
    const client = await connected('auto', host, '/x/queues');
    const [connection] = (await world.rest('GET /connections')).body.connections;
    const call = { name: 'update_queue', arguments: { connectionId: connection.id, paused: true } };
    await expect(client.callTool(call)).rejects.toThrow(UnauthorizedError);

    const more = host.asked.at(-1) as URL;
    expect(more.searchParams.get('scope')?.split(' ')).toEqual(
      expect.arrayContaining(['connections:write', 'posts:read']),
    );
    await transportOf(host.provider).finishAuth(await agree(person.browser, more));
    const again = newClient('auto');
    await again.connect(transportOf(host.provider, '/x/queues'));
    const { isError, structuredContent } = await again.callTool(call);
    expect([isError, structuredContent]).toEqual([
      undefined,
      { connection: expect.objectContaining({ paused: true }) },
    ]);
  });
});

it('a strict OAuth client finds everything as the standards define it', async () => {
  const options = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: toWorld } as const;
  const resource = await oauth
    .resourceDiscoveryRequest(new URL(RESOURCE), options)
    .then((response) => oauth.processResourceDiscoveryResponse(new URL(RESOURCE), response));
  const issuer = new URL(resource.authorization_servers?.[0] ?? '');
  const server = await oauth
    .discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
    .then((response) => oauth.processDiscoveryResponse(issuer, response));
  const registered = await oauth
    .dynamicClientRegistrationRequest(
      server,
      { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
      options,
    )
    .then(oauth.processDynamicClientRegistrationResponse);
  const verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    client_id: registered.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'posts:read',
    resource: RESOURCE,
    state: 'strict',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const client = { client_id: registered.client_id };
  const given = oauth.validateAuthResponse(server, client, await agree(person.browser, url), 'strict');
  const tokens = await oauth
    .authorizationCodeGrantRequest(server, client, oauth.None(), given, CALLBACK, verifier, options)
    .then((response) => oauth.processAuthorizationCodeResponse(server, client, response));

  expect(tokens.scope).toBe('posts:read');
  const revoked = await oauth.revocationRequest(server, client, oauth.None(), tokens.refresh_token ?? '', options);
  expect(await oauth.processRevocationResponse(revoked)).toBeUndefined();
});

it('a client with a private key authenticates with it', async () => {
  const { publicKey, privateKey } = await oauth.generateKeyPair('ES256');
  const jwk = { ...(await crypto.subtle.exportKey('jwk', publicKey)), alg: 'ES256', use: 'sig' };
  const metadata = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } };
  const { body } = await register(world, metadata);
  expect(body).toMatchObject({ token_endpoint_auth_method: 'private_key_jwt' });
  const code = await codeFor(person, { clientId: body.client_id });
  expect((await redeem(world, body.client_id, code)).status).toBe(401);

  const server = { issuer: PUBLIC_URL, token_endpoint: `${PUBLIC_URL}/oauth/token` };
  const client = { client_id: body.client_id };
  const given = oauth.validateAuthResponse(
    { ...server, authorization_response_iss_parameter_supported: true },
    client,
    new URLSearchParams({ code, state: 'a-state', iss: PUBLIC_URL }),
    'a-state',
  );
  const proof = oauth.PrivateKeyJwt(privateKey);
  const answer = await oauth.authorizationCodeGrantRequest(server, client, proof, given, CALLBACK, VERIFIER, {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: toWorld,
  });
  expect(answer.status).toBe(200);
});
