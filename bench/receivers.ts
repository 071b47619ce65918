/**
 * Receivers of webhooks in a separate process. Every path is a receiver; a path that begins with /hang- never answers, and
 * one that begins with /far- answers after 100 ms.
 * The bench starts it with PORT.
 */
import { createServer } from 'node:http';

const FAR_MS = 100;

const counts = new Map<string, number>();

createServer((request, response) => {
  const path = request.url ?? '';
  if (request.method === 'GET') return void response.end(JSON.stringify(Object.fromEntries(counts)));
  request.resume().on('end', () => {
    counts.set(path, (counts.get(path) ?? 0) + 1);
    if (path.startsWith('/far-')) setTimeout(() => response.writeHead(204).end(), FAR_MS);
    else if (!path.startsWith('/hang-')) response.writeHead(204).end();
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');

process.on('SIGTERM', () => process.exit(0));
