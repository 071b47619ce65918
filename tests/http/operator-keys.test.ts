/** The operator's endpoints for keys of an account (docs/contract/profiles-and-keys.md#account-keys). */
import { describe, expect, it } from 'vitest';
import { refusal } from '../harness/expected.ts';
import { OPERATOR, OWNER_ENV } from '../harness/owner.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });

async function operator(method: string, path: string, body?: object) {
  const [{ id } = { id: '' }] = await world.sql<{ id: string }>('select id from accounts order by id limit 1');
  const response = await fetch(`${world.url}/operator/accounts/${id}/keys${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // eslint-disable-next-line typescript/no-explicit-any -- the tests assert the fields that they read
  return { status: response.status, body: (await response.json()) as any };
}

describe('DELETE /operator/accounts/{accountId}/keys/{keyId}', () => {
  it.each(['1', 'True', '', 'true&includeMinted=true'])(
    'refuses includeMinted=%s and revokes nothing, so that no minted key stays by mistake',
    async (value) => {
      const { key, secret } = (await operator('POST', '', { name: 'Leaked', type: 'live' })).body;

      const answer = await operator('DELETE', `/${key.id}?includeMinted=${value}`);

      const message = 'includeMinted: expected true or false.';
      expect(answer).toEqual({ status: 400, body: refusal('invalid_request', message) });
      expect((await world.rest('GET /posts', { key: secret })).status).toBe(200);
      expect((await operator('DELETE', `/${key.id}?includeMinted=false`)).status).toBe(200);
      expect((await world.rest('GET /posts', { key: secret })).status).toBe(401);
    },
  );
});
