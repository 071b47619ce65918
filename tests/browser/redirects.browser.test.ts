/** A redirect address that redirects to another site, in a real browser: forms may follow it anywhere. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER, useStage } from './stage.ts';

const stage = useStage();

describe.skipIf(!HAS_BROWSER)('a caller’s address that redirects to another site', () => {
  let server: Server;
  let redirectUrl = '';

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { search } = new URL(request.url ?? '', 'http://localhost');
      response.writeHead(302, { location: `${new URL(stage.redirectUrl).origin}/arrived${search}` }).end();
    }).listen(0);
    await once(server, 'listening');
    redirectUrl = `http://localhost:${(server.address() as AddressInfo).port}/gateway`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each(['Connect', 'Cancel'])('is followed to its end after %s', async (button) => {
    const link = await stage.link({ platform: 'sandbox', redirectUrl });
    const customer = await stage.customer({ peers: [new URL(redirectUrl).origin] });

    await customer.open(link.url);
    await customer.press(button);

    const [address, { connectSessionId }] = customer.place();
    expect([address, connectSessionId]).toEqual([`${new URL(stage.redirectUrl).origin}/arrived`, link.sessionId]);
    expect(await customer.page.textContent('h1')).toBe('Back in the app');
  });
});
