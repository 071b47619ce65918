/**
 * The process metrics and the operator endpoints are limited to this machine: no proxy and no foreign host name reaches
 * them.
 */
import { describe, expect, it } from 'vitest';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import { callRaw } from '../mcp/clients.ts';

const OPERATOR_TOKEN = 'operator-token-of-at-least-32-characters';
const METRICS_TOKEN = 'a-token-for-metrics';
const world = await startWorld({ env: { OPERATOR_TOKEN, METRICS_TOKEN } });

async function ask(path: string, headers: Record<string, string> = {}, of: World = world): Promise<number> {
  const { status } = await callRaw(of, { method: 'GET', path, headers: { 'x-api-key': undefined, ...headers } });
  return status;
}

const FOREIGN: [string, Record<string, string>][] = [
  ['a foreign Host', { host: 'bells.example' }],
  ['a foreign Host that begins like ours', { host: 'localhost.evil.example:3000' }],
  ['a Host that names a user', { host: 'localhost@evil.example' }],
  ['Forwarded', { forwarded: 'for=203.0.113.9' }],
  ['Via', { via: '1.1 proxy' }],
  ['X-Real-IP', { 'x-real-ip': '203.0.113.9' }],
  ['X-Forwarded-For', { 'x-forwarded-for': '203.0.113.9' }],
  ['X-Forwarded-Proto', { 'x-forwarded-proto': 'https' }],
  ['X-Forwarded-Host', { 'x-forwarded-host': 'localhost' }],
];
const LOCAL = ['localhost', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000'];

describe('GET /metrics', () => {
  it.each(FOREIGN)('is refused with %s', async (_which, headers) => {
    expect(await ask('/metrics', headers)).toBe(403);
  });

  it.each(LOCAL)('answers on this machine at %s', async (host) => {
    expect(await ask('/metrics', { host })).toBe(200);
  });

  it('answers any caller that has the token', async () => {
    const headers = { host: 'bells.example', via: '1.1 proxy' };

    expect(await ask('/metrics', { ...headers, authorization: `Bearer ${METRICS_TOKEN}` })).toBe(200);
    expect(await ask('/metrics', { ...headers, authorization: 'Bearer another' })).toBe(403);
  });
});

describe('/operator', () => {
  const authorization = `Bearer ${OPERATOR_TOKEN}`;

  it.each(FOREIGN)('is refused with %s, although the token is right', async (_which, headers) => {
    expect(await ask('/operator/accounts', { authorization, ...headers })).toBe(403);
  });

  it.each(LOCAL)('answers on this machine at %s', async (host) => {
    expect(await ask('/operator/accounts', { authorization, host })).toBe(200);
  });

  it('does not exist with OPERATOR=off, and is reachable from every machine with OPERATOR=anywhere', async () => {
    const off = await startWorld({ env: { OPERATOR_TOKEN, OPERATOR: 'off' } });
    const anywhere = await startWorld({ env: { OPERATOR_TOKEN, OPERATOR: 'anywhere' } });
    const foreign = { authorization, host: 'bells.example', 'x-forwarded-for': '203.0.113.9' };

    expect(await ask('/operator/accounts', { authorization }, off)).toBe(404);
    expect(await ask('/operator/accounts', foreign, anywhere)).toBe(200);
    expect(await ask('/operator/accounts', { ...foreign, authorization: 'Bearer x' }, anywhere)).toBe(401);
  });
});

describe('Strict-Transport-Security', () => {
  it('is in every answer when PUBLIC_URL is https, and in none otherwise', async () => {
    const secure = await startWorld({ env: { PUBLIC_URL: 'https://bells.example' } });
    const headersOf = async (of: World) => {
      const answers = await Promise.all(
        ['/', '/livez', '/api/v2/health', '/nowhere'].map((path) => fetch(of.url + path)),
      );
      return answers.map(({ headers }) => headers.get('strict-transport-security'));
    };

    expect(await headersOf(secure)).toEqual(Array.from({ length: 4 }, () => 'max-age=31536000'));
    expect(PUBLIC_URL).toMatch(/^http:/);
    expect(await headersOf(world)).toEqual([null, null, null, null]);
  });
});
