/** Texts of answers arrive whole, whichever way they are written (server/end-with-text.ts). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { endWithText } from '../../server/end-with-text.ts';

let text = '';
const server = createServer((_request, response) => {
  const length = Buffer.byteLength(text);
  response.writeHead(200, { 'content-length': length });
  endWithText(response, text, length);
}).listen(0, '127.0.0.1');
afterAll(() => void server.close());

const ascii = (length: number) => Array.from({ length }, (_, index) => String.fromCharCode(33 + (index % 90))).join('');

it.each([0, 1, 13_999, 14_000, 14_001, 29_999, 30_000, 30_001, 46_000, 46_001, 1_000_000])(
  '%i characters of ASCII',
  async (length) => {
    text = ascii(length);

    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);

    expect((await answer.text()) === text).toBe(true);
    expect(answer.headers.get('content-length')).toBe(String(length));
  },
);

it.each([
  ['the last', `${ascii(40_000)}é`],
  ['a surrogate pair at the place of a cut', `${ascii(13_999)}🔔${ascii(20_000)}`],
])('text with another character as %s', async (_where, given) => {
  text = given;

  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);

  expect((await answer.text()) === given).toBe(true);
});
