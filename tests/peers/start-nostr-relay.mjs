/**
 * A relay of Nostr made of the packages of nostr-relay, in memory. Runs in the folder of its packages: `node
 * start-nostr-relay.mjs PORT [auth|small]`. It closes the connection instead of answering to the first event whose text contains
 * `[[lost]]`; with `auth` it takes nothing without a sign-in; with `small` it takes 1,000 characters, and says so (NIP-11).
 */
import { createServer } from 'node:http';
import { NostrRelay } from '@nostr-relay/core';
import { EventRepositorySqlite } from '@nostr-relay/event-repository-sqlite';
import { Validator } from '@nostr-relay/validator';
import { WebSocketServer } from 'ws';

const [port, mode] = process.argv.slice(2);
const repository = new EventRepositorySqlite(':memory:');
await repository.init();
const relay = new NostrRelay(repository, { domain: '127.0.0.1', filterResultCacheTtl: 0 });
if (mode === 'auth') {
  relay.register({
    handleEvent: (context, event, next) =>
      context.pubkey === undefined
        ? { noReplyNeeded: false, success: false, message: 'auth-required: sign in first' }
        : next(),
  });
}
const limitation = mode === 'small' ? { max_content_length: 1_000 } : {};
const validator = new Validator(mode === 'small' ? { maxContentLength: limitation.max_content_length } : {});
const lost = new Set();

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/nostr+json').end(JSON.stringify({ limitation }));
});
new WebSocketServer({ server }).on('connection', (socket, request) => {
  relay.handleConnection(socket, request.socket.remoteAddress);
  const send = socket.send.bind(socket);
  socket.on('message', async (data) => {
    try {
      const message = await validator.validateIncomingMessage(data);
      const [type, event] = message;
      if (type === 'EVENT' && event.content.includes('[[lost]]') && !lost.has(event.id)) {
        lost.add(event.id);
        socket.send = () => socket.terminate();
      } else socket.send = send;
      await relay.handleMessage(socket, message);
    } catch (error) {
      send(JSON.stringify(['NOTICE', error.message]));
    }
  });
  socket.on('close', () => relay.handleDisconnect(socket));
});
server.listen(Number(port), '127.0.0.1', () => console.log(JSON.stringify({ relay: `ws://127.0.0.1:${port}` })));
