/**
 * Receivers of webhooks in a separate process. Every path is a receiver; a path that begins with /hang- never answers, and
 * one that begins with /far- answers after 100 ms.
 * The bench starts it with PORT.
 */
import { createServer, type ServerResponse } from 'node:http';

const FAR_MS = 100;

const counts = new Map<string, number>();

/** What the bench waits for; asking again and again would take processor time from those that are measured. */
let awaited: { readonly paths: readonly string[]; readonly count: number; readonly answer: () => void } | null = null;

createServer((request, response) => {
  const path = request.url ?? '';
  if (request.method === 'GET') return waitFor(new URL(path, 'http://localhost').searchParams, response);
  request.resume().on('end', () => {
    counts.set(path, (counts.get(path) ?? 0) + 1);
    if (path.startsWith('/far-')) setTimeout(() => response.writeHead(204).end(), FAR_MS);
    else if (!path.startsWith('/hang-')) response.writeHead(204).end();
    answerWhenReceived();
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');

/**
 * Answers `GET /?path=/a-1&path=/b-1&count=1000` when each path has received as many posts, and `GET /` at once, with what
 * each path has received.
 */
function waitFor(search: URLSearchParams, response: ServerResponse): void {
  const answer = () => void response.end(JSON.stringify(Object.fromEntries(counts)));
  awaited = { paths: search.getAll('path'), count: Number(search.get('count')), answer };
  answerWhenReceived();
}

function answerWhenReceived(): void {
  if (awaited === null) return;
  const { paths, count, answer } = awaited;
  if (paths.some((path) => (counts.get(path) ?? 0) < count)) return;
  awaited = null;
  answer();
}

process.on('SIGTERM', () => process.exit(0));
