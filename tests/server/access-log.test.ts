/** The access log: one line a request, without what must not be written down. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { accessLog } from '../../server/access-log.ts';

const lines: { path: string }[] = [];
const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as { path: string }) });
const server = express().use(accessLog(log)).listen(0, '127.0.0.1');
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
  ['/oauth/authorize?state=secret', '/oauth/authorize'],
  ['/connect/session/01936b5e-0000-7000-8000-000000000000', '/connect/session/01936b5e-0000-7000-8000-000000000000'],
  ['/connect/callback/mastodon?code=secret&state=secret', '/connect/callback/mastodon'],
])('%s is written as %s', async (path, written) => {
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`).then((answer) => answer.text());
  await new Promise((resolve) => setImmediate(resolve));

  expect(lines.at(-1)).toMatchObject({ path: written });
});
