/** Prepares an install for a measurement, through the public API as a customer would. */
import { API_KEY } from './processes.ts';

/** Headers of every call of the bench. */
export const HEADERS = { 'x-api-key': API_KEY, 'content-type': 'application/json' };

/** The part of a POST /posts result that the bench reads. */
interface Result {
  readonly status: string;
  readonly postId: string;
}

/** Calls `path` below the API root: POST when there is a body. @throws Error on any answer except a 200. */
export async function call<Answer>(origin: string, path: string, body?: unknown): Promise<Answer> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${origin}/api/v2${path}`, { headers: HEADERS, ...init });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** The body of a post to the connections. */
export function postBody(slugs: readonly string[], scheduledFor?: Date): Record<string, unknown> {
  const text = 'The bells ring at noon, and once more when the ferry leaves for the islands.';
  return { text, connectionSlugs: slugs, ...(scheduledFor === undefined ? {} : { scheduledFor }) };
}

/** Creates a post to each connection and gives the ids. @throws Error unless all are in the `expected` state. */
export async function publish(origin: string, slugs: readonly string[], scheduledFor?: Date): Promise<string[]> {
  const { results } = await call<{ results: Result[] }>(origin, '/posts', postBody(slugs, scheduledFor));
  const expected = scheduledFor === undefined ? 'sent' : 'scheduled';
  const other = results.find((result) => result.status !== expected);
  if (other !== undefined) throw new Error(`a post is ${other.status}, not ${expected}`);
  return results.map((result) => result.postId);
}

/** Connects this many sandbox accounts and gives their slugs. */
export async function connectSandboxes(origin: string, count: number): Promise<string[]> {
  const slugs = Array.from({ length: count }, (_, index) => `bench-${index + 1}`);
  for (const slug of slugs) await call(origin, '/connections', { platformId: 'sandbox', credentials: {}, slug });
  return slugs;
}
