/** Images at addresses that tests import. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { whenOver } from './closing.ts';
import { IMAGE } from './tenant.ts';

/** @param answer instead of answering with the image at once */
export async function serveImage(answer: (response: ServerResponse) => void = sendImage): Promise<string> {
  const server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenOver(async () => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/bell.png`;
}

function sendImage(response: ServerResponse): void {
  response.setHeader('content-type', 'image/png').end(IMAGE);
}

/** An image that is missing at first; later each answer waits. */
export async function startSlowImage() {
  const waiting: ServerResponse[] = [];
  let isMissing = true;
  const url = await serveImage((response) => {
    if (isMissing) response.writeHead(404).end();
    else waiting.push(response);
  });
  return {
    url,
    appear: () => (isMissing = false),
    asked: async (count: number) => {
      await expect.poll(() => waiting.length).toBeGreaterThanOrEqual(count);
    },
    answer: () => waiting.splice(0).forEach(sendImage),
  };
}
