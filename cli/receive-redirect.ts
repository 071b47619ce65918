/** A loopback address that receives one redirect of the browser (RFC 8252 section 7.3). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Redirect extends AsyncDisposable {
  /** The address to redirect to. */
  readonly uri: string;
  /** The address that the browser opened, with what the answer says. */
  received(signal: AbortSignal): Promise<URL>;
}

const PATH = '/callback';

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Carillon</title>
<p>The command line has received the answer. You can close this page.</p></html>`;

export async function receiveRedirect(): Promise<Redirect> {
  // Node.js 20 has no Promise.withResolvers.
  let resolve: (url: URL) => void = () => undefined;
  const promise = new Promise<URL>((resolved) => (resolve = resolved));
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', uriOf());
    if (request.method !== 'GET' || url.pathname !== PATH) return void response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'referrer-policy': 'no-referrer',
      connection: 'close',
    });
    response.end(PAGE, () => resolve(url));
  });
  const uriOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(0, '127.0.0.1', listening);
  });
  return {
    uri: uriOf(),
    received: (signal) =>
      new Promise((done, failed) => {
        signal.addEventListener('abort', () => failed(signal.reason), { once: true });
        promise.then(done, failed);
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
