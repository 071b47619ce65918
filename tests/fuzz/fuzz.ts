/** Sends generated requests to an install, and checks each answer against the OpenAPI document. */
import { apiDocument, answerProblem } from '../harness/api-document.ts';
import { IMAGE } from '../harness/tenant.ts';
import type { World } from '../harness/world.ts';
import { createSampler } from '../simulation/sampler.ts';
import { addressOf, bodyOf, curlOf, type FuzzRequest, makeRequest, smaller } from './requests.ts';
import type { Seen } from './values.ts';

export interface FuzzOptions {
  readonly seed: string;
  readonly requests: number;
  /** Receives the progress from time to time. */
  readonly onProgress?: (sent: number) => void;
}

export interface FuzzReport {
  /** Number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Operations that succeeded at least once, and the total. */
  readonly succeeded: number;
  readonly operations: number;
  /** Longest response time, in milliseconds. */
  readonly slowestMs: number;
  /** Duration of all requests, in milliseconds. */
  readonly tookMs: number;
  readonly failures: readonly Failure[];
}

interface Failure {
  readonly problem: string;
  /** Reduced to the fewest parts that still fail. */
  readonly curl: string;
  /** Index of the request, from 0. */
  readonly index: number;
}

interface Answered {
  readonly status: number;
  readonly problem: string | null;
  readonly body: unknown;
  readonly tookMs: number;
}

/** Real milliseconds after which an answer counts as lost. */
const HANG_MS = 20_000;

/** Number of failures after which the run stops. */
const FAILURES_MAX = 10;

/**
 * Number of requests after which time moves by a minute, which resets the rate limits, and removed objects are created
 * again.
 */
const ROUND = 500;

const KEPT = 200;

export async function fuzz(world: World, { seed, requests, onProgress }: FuzzOptions): Promise<FuzzReport> {
  const sampler = createSampler(seed);
  const seen: Seen = { ids: {}, slugs: [] };
  const statuses: Record<string, number> = {};
  const succeeded = new Set<string>();
  const failures: Failure[] = [];
  let slowestMs = 0;
  const began = performance.now();
  let keys = await freshKeys(world, seen);
  for (let index = 0; index < requests && failures.length < FAILURES_MAX; index += 1) {
    if (index > 0 && index % ROUND === 0) {
      world.clock.advance(61_000);
      keys = await freshKeys(world, seen);
      onProgress?.(index);
    }
    const request = makeRequest(sampler, seen);
    const key = sampler.weighted({ live: 80, test: 10, profile: 8, none: 2 });
    const answered = await send(world, request, keys[key]);
    statuses[answered.status] = (statuses[answered.status] ?? 0) + 1;
    slowestMs = Math.max(slowestMs, answered.tookMs);
    if (answered.status < 300) succeeded.add(`${request.target.method} ${request.target.path}`);
    remember(answered.body, seen);
    // An earlier request revoked the key.
    if (answered.status === 401 && key !== 'none') keys = await freshKeys(world, seen);
    if (answered.problem === null) continue;
    const least = await shrink(world, request, keys[key], answered.problem);
    failures.push({ problem: answered.problem, curl: curlOf(least), index });
  }
  const operations = Object.values(apiDocument.paths).flatMap((methods) => Object.keys(methods)).length;
  return { statuses, succeeded: succeeded.size, operations, slowestMs, tookMs: performance.now() - began, failures };
}

/** Requests revoke keys and delete connections, so this creates the needed ones again. */
async function freshKeys(
  world: World,
  seen: Seen,
): Promise<Record<'live' | 'test' | 'profile' | 'none', string | null>> {
  const live = (await world.key()).secret;
  const profile = await world.profile();
  const connected = await world.rest('POST /connections', {
    key: live,
    body: { platformId: 'sandbox', credentials: {} },
  });
  const uploaded = await world.rest('POST /media', { key: live, raw: IMAGE, headers: { 'content-type': 'image/png' } });
  for (const { body } of [connected, uploaded]) remember(body, seen);
  return {
    live,
    test: (await world.key({ type: 'test' })).secret,
    profile: (await world.key({ profileId: profile.id })).secret,
    none: null,
  };
}

async function send(world: World, request: FuzzRequest, key: string | null): Promise<Answered> {
  const { target, headers, contentType } = request;
  const body = bodyOf(request);
  const began = performance.now();
  try {
    const response = await fetch(`${world.url}/api/v2${addressOf(request)}`, {
      method: target.method,
      headers: {
        ...headers,
        ...(contentType === null ? {} : { 'content-type': contentType }),
        ...(key === null ? {} : { 'x-api-key': key }),
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(HANG_MS),
    });
    const type = response.headers.get('content-type') ?? '';
    const read: unknown = type.startsWith('application/json') ? await response.json() : await response.text();
    const tookMs = performance.now() - began;
    return { status: response.status, problem: findProblem(request, response.status, type, read), body: read, tookMs };
  } catch (error) {
    return {
      status: 0,
      problem: `no answer: ${(error as Error).message}`,
      body: null,
      tookMs: performance.now() - began,
    };
  }
}

function findProblem(request: FuzzRequest, status: number, contentType: string, body: unknown): string | null {
  if (status >= 500 && status !== 503) return `${status} ${JSON.stringify(body).slice(0, 200)}`;
  const problem = answerProblem(request.target, { status, contentType, body });
  if (problem !== null) return `${status}: ${problem}; ${JSON.stringify(body).slice(0, 200)}`;
  return request.isRefused && status < 300 ? `${status} for what the document does not allow` : null;
}

/** Ids are called `id` inside their own object, and by their full name elsewhere. */
function remember(body: unknown, seen: Seen, parent = ''): void {
  if (Array.isArray(body))
    return body.forEach((item) => remember(item, seen, parent.replace(/ies$/, 'y').replace(/s$/, '')));
  if (typeof body !== 'object' || body === null) return;
  for (const [name, value] of Object.entries(body as object) as [string, unknown][]) {
    const id = name === 'id' ? `${parent}Id` : name;
    if (typeof value === 'string' && id.endsWith('Id') && UUID.test(value)) keep((seen.ids[id] ??= []), value);
    else if (typeof value === 'string' && /^(slug|connectionSlug)$/.test(name)) keep(seen.slugs, value);
    else remember(value, seen, name);
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The latest values, each once. */
function keep(values: string[], value: string): void {
  if (values.includes(value)) return;
  values.push(value);
  if (values.length > KEPT) values.shift();
}

/** Removes parts while the rest still fails in the same way. */
async function shrink(world: World, request: FuzzRequest, key: string | null, problem: string): Promise<FuzzRequest> {
  const kind = problem.slice(0, 12);
  for (const candidate of smaller(request)) {
    const answered = await send(world, candidate, key);
    if (answered.problem?.startsWith(kind) === true) return shrink(world, candidate, key, problem);
  }
  return request;
}
