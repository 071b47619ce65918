/** Operations and MCP are found in every form of the request line (server/app.ts). */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();
const { hostname, port } = new URL(world.url);

/** Status and body of a request with this line. */
async function ask(method: string, target: string): Promise<[number, string]> {
  const socket = connect(Number(port), hostname);
  const head = [`${method} ${target} HTTP/1.1`, `host: ${hostname}:${port}`, `x-api-key: ${world.liveKey}`];
  socket.write(`${[...head, 'connection: close'].join('\r\n')}\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket.setEncoding('utf8')) answer += String(chunk);
  const [top = '', body = ''] = answer.split('\r\n\r\n');
  return [Number(top.split(' ')[1]), body];
}

it.each([
  ['a path', '/api/v2/platforms'],
  ['a path in capitals', '/API/V2/platforms'],
  ['a whole address, as to a proxy', 'http://example.com/api/v2/platforms'],
  ['a whole address with a user', 'http://user:password@example.com/api/v2/platforms?x'],
])('an operation by %s', async (_form, target) => {
  const [status, body] = await ask('GET', target);

  expect([status, body.startsWith('{"platforms":')]).toEqual([200, true]);
});

it.each([
  ['the API root alone', '/api/v2', '/'],
  ['the API root with a query', '/api/v2?x', '/'],
  ['an unknown path', '/api/v2/nothing', '/nothing'],
])('%s is answered as an unknown path of the API', async (_what, target, named) => {
  const [status, body] = await ask('GET', target);

  expect([status, JSON.parse(body).message]).toEqual([
    404,
    `This API has no path ${named}; GET /openapi.json lists the paths.`,
  ]);
});

it.each(['/api/v2/openapi.json', '/api/v2/openapi.json/', '/API/v2/OpenAPI.json'])(
  'the document at %s',
  async (target) => {
    expect((await ask('GET', target))[0]).toBe(200);
    expect((await ask('DELETE', target))[0]).toBe(405);
  },
);

it.each(['/mcp', '/mcp/', '/mcp?x', 'http://example.com/mcp'])('MCP at %s, which takes no GET', async (target) => {
  expect((await ask('GET', target))[0]).toBeOneOf([405, 406]);
});

it.each(['/api/v20/platforms', '/mcps', '/x/api/v2/platforms'])('%s is neither', async (target) => {
  expect(JSON.parse((await ask('GET', target))[1])).toMatchObject({ error: 'not_found' });
});
