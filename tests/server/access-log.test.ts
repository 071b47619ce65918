/** The access log: one line per request, without secrets. */
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { logAccess } from '../../server/access-log.ts';
import { systemClock } from '../../server/clocks.ts';
import { NO_TRACER } from '../../services/ports/tracer.ts';

const lines: { path: string }[] = [];
const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as { path: string }) });
const server = createServer((request, response) => {
  logAccess({ clock: systemClock, log, tracer: NO_TRACER }, request, response);
  response.end();
}).listen(0, '127.0.0.1');
afterAll(() => void server.close());

it.each([
  ['/api/v2/posts?limit=1', '/api/v2/posts'],
  ['/connect/Zm9vYmFyYmF6cXV4', '/connect/…'],
  ['/connect//Zm9vYmFyYmF6cXV4', '/connect//…'],
  ['/CONNECT/Zm9vYmFyYmF6cXV4/', '/CONNECT/…'],
  ['/set-up/Zm9vYmFyYmF6cXV4', '/set-up/…'],
  ['/Set-Up//Zm9vYmFyYmF6cXV4/x', '/Set-Up//…'],
  ['/oauth/interaction/Zm9vYmFyYmF6cXV4', '/oauth/interaction/…'],
  ['/OAuth//authorize/Zm9vYmFyYmF6cXV4', '/OAuth//authorize/…'],
  [`/calendars/cal_${'x'.repeat(43)}.ics`, '/calendars/…'],
  [`/calendars/%63al_${'x'.repeat(43)}.ics`, '/calendars/…'],
  [`/Calendars//c%61l_${'x'.repeat(43)}.ics/`, '/Calendars//…'],
  ['/oauth/authorize?state=secret', '/oauth/authorize'],
  ['/connect/session/01936b5e-0000-7000-8000-000000000000', '/connect/session/01936b5e-0000-7000-8000-000000000000'],
  ['/connect/callback/mastodon?code=secret&state=secret', '/connect/callback/mastodon'],
  ['/api/v2/posts#crl_live_0123456789', '/api/v2/posts'],
  ['/api/v2/crl_live_0123456789abcdef/x', '/api/v2/crl_live_…/x'],
])('%s is written as %s', async (path, written) => {
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`).then((answer) => answer.text());
  await new Promise((resolve) => setImmediate(resolve));

  expect(lines.at(-1)).toMatchObject({ path: written });
});

it.each([
  ['http://user:password@host/api/v2/posts?token=secret', '/api/v2/posts'],
  ['http://host/connect/Zm9vYmFyYmF6cXV4?x', '/connect/…'],
  ['HTTPS://user:password@host?token=secret', '/'],
  ['http://user:password@host', '/'],
  ['secret-that-is-no-path', '(not a path)'],
])('the request line %s is written as %s', async (target, written) => {
  const { port } = server.address() as AddressInfo;
  const before = lines.length;
  const socket = connect(port, '127.0.0.1');
  socket.end(`GET ${target} HTTP/1.1\r\nhost: host\r\nconnection: close\r\n\r\n`).resume();
  await new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => setImmediate(resolve));

  // A request that Node.js cannot parse is not logged.
  if (lines.length > before) expect(lines.at(-1)).toMatchObject({ path: written });
  else expect(target).toBe('secret-that-is-no-path');
});
