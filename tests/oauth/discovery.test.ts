/** The discovery documents: complete, public, and at the address of the install. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import { callMcp, METADATA_URL, RESOURCE } from './agents.ts';

const SCOPES = [
  'connections:read',
  'connections:write',
  'posts:read',
  'posts:write',
  'analytics:read',
  'profiles:read',
  'profiles:write',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'keys:write',
  'account:read',
];

let world: World;
beforeAll(async () => {
  world = await startWorld();
});

const open = (path: string, headers = {}) => openBrowser(world).get(path, headers);

/** Sends a raw request line, which fetch would not. */
const sendRaw = async (target: string): Promise<string> => {
  const { port, hostname } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  // The socket stays open, because a server need not answer a client that has hung up.
  socket.write(`GET ${target} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
  return text(socket);
};

describe('a document', () => {
  it.each(['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource/mcp'])(
    'names the install, for every address in the request line: %s',
    async (path) => {
      const answer = await sendRaw(`http://evil.example${path}`);

      expect(answer).toContain('HTTP/1.1 200 OK');
      expect(answer).toContain(PUBLIC_URL);
      expect(answer).not.toContain('evil.example');
    },
  );

  it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
    'at %s says what tokens are for and which server issues them',
    async (path) => {
      const { status, text } = await open(path);

      expect([status, JSON.parse(text)]).toEqual([
        200,
        {
          resource: RESOURCE,
          authorization_servers: [PUBLIC_URL],
          scopes_supported: SCOPES,
          bearer_methods_supported: ['header'],
          resource_name: 'Carillon',
          resource_documentation: `${PUBLIC_URL}/docs`,
        },
      ]);
    },
  );

  it('describes how to use the authorization server, under each of its names', async () => {
    const { status, text } = await open('/.well-known/oauth-authorization-server', {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    });

    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        issuer: PUBLIC_URL,
        authorization_endpoint: `${PUBLIC_URL}/oauth/authorize`,
        token_endpoint: `${PUBLIC_URL}/oauth/token`,
        registration_endpoint: `${PUBLIC_URL}/oauth/register`,
        revocation_endpoint: `${PUBLIC_URL}/oauth/revoke`,
        jwks_uri: `${PUBLIC_URL}/oauth/jwks`,
        scopes_supported: SCOPES,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
        token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['ES256']),
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      },
    ]);
  });

  it('shows the public parts of the keys, and no other part', async () => {
    const { keys } = JSON.parse((await open('/oauth/jwks')).text);

    const [{ id } = { id: '' }] = await world.sql<{ id: string }>('select id from oauth_keys');
    const text = expect.any(String);
    expect(keys).toEqual([{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: id, x: text, y: text }]);
  });

  it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server', '/oauth/jwks'])(
    'at %s may be read by any page, and sets no cookie',
    async (path) => {
      const { headers } = await open(path, { origin: 'https://page.example' });

      expect(headers.get('access-control-allow-origin')).toMatch(/^(\*|https:\/\/page\.example)$/);
      expect(headers.getSetCookie()).toEqual([]);
    },
  );
});

it('a request to /mcp without credentials is told where to begin, without an error code', async () => {
  const { status, headers } = await callMcp(world, null, { jsonrpc: '2.0', id: 1, method: 'ping' });

  expect([status, headers.get('www-authenticate')]).toEqual([
    401,
    `Bearer scope="connections:read posts:read posts:write analytics:read profiles:read", resource_metadata="${METADATA_URL}"`,
  ]);
});
