/**
 * `listen --forward <url>`: relays the events that a key is subscribed to to a receiver on this machine, signed like
 * deliveries, so that no tunnel is needed. It never retries, because the receiver is in development; it prints the
 * receiver's answers.
 */
import { parseArgs } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import type { Clock, Random } from '../services/clock.ts';
import type { SignedEvent } from '../services/events/event-body.ts';
import { deliveryHeaders } from '../services/webhooks/delivery-headers.ts';
import { newWebhookSecret } from '../services/webhooks/new-secret.ts';
import { receiverUrlProblem } from '../services/webhooks/receiver-url.ts';
import { type EventMessage, eventMessages } from './event-messages.ts';
import { type Environment, type Request, serverOrigin, UsageError } from './operator-client.ts';

/** The dependencies of the command. */
export interface Listening {
  readonly request: Request;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  /** Writes one line. */
  readonly print: (line: string) => void;
  /** Ends the command when it aborts. */
  readonly signal: AbortSignal;
}

const OPTIONS = {
  forward: { type: 'string' },
  key: { type: 'string' },
  secret: { type: 'string' },
  url: { type: 'string' },
} as const;

/** The parsed arguments. */
interface Plan {
  readonly events: URL;
  readonly key: string;
  readonly forward: URL;
  readonly secret: string;
}

/** The same timeout as for a receiver of deliveries. */
const ANSWER_WITHIN_MS = 5_000;

/** Real milliseconds before a stream that ended is reopened. */
const LISTEN_AGAIN_MS = 2_000;

/** An answer that would be the same on a retry. */
class RefusedError extends Error {
  override name = 'RefusedError';
}

/** Listens until the signal aborts. @throws Error with a sentence that says what to correct */
export async function listenCommand(io: Listening, args: string[], env: Environment): Promise<void> {
  const plan = readPlan(io, args, env);
  let lastId: string | undefined;
  let wasOpen = false;
  while (!io.signal.aborted) {
    try {
      const body = await openStream(io, plan, lastId);
      if (!wasOpen) introduce(io, plan);
      wasOpen = true;
      for await (const message of eventMessages(body)) {
        await relay(io, plan, message);
        lastId = message.id ?? lastId;
      }
    } catch (error) {
      if (io.signal.aborted) return;
      if (error instanceof RefusedError || !wasOpen) throw error;
    }
    if (io.signal.aborted) return;
    io.print('The stream ended. Listening again behind the last event.');
    await io.clock.sleep(LISTEN_AGAIN_MS, io.signal).catch(() => undefined);
  }
}

function readPlan(io: Listening, args: string[], env: Environment): Plan {
  const { forward, key = env['CARILLON_KEY'], secret = newWebhookSecret(io.random), url } = parse(args);
  if (forward === undefined) throw new UsageError('Set where events go with --forward, e.g. http://localhost:4000.');
  const problem = receiverUrlProblem(forward);
  if (problem !== null) throw new UsageError(`--forward: expected ${problem}, not "${forward}".`);
  if (key === undefined || key === '') throw new UsageError('Set the API key with --key or CARILLON_KEY.');
  return { events: new URL('/api/v2/events', serverOrigin(url, env)), key, forward: new URL(forward), secret };
}

function parse(args: string[]): Partial<Record<keyof typeof OPTIONS, string>> {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function introduce({ print }: Listening, { events, forward, secret }: Plan): void {
  print(`Listening at ${events.origin}; events go to ${forward.href}`);
  print(`They are signed with ${secret}`);
}

async function openStream(
  { request, signal }: Listening,
  { events, key }: Plan,
  lastId: string | undefined,
): Promise<ReadableStream<Uint8Array>> {
  const headers = { 'x-api-key': key, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
  const response = await request(events, { headers, signal }).catch((cause: Error) => {
    throw new Error(`No server answers at ${events.origin}. Is it running? --url names another one.`, { cause });
  });
  if (response.ok && response.body !== null) return response.body;
  const answer = (await response.json().catch(() => null)) as { message?: string; retryable?: boolean } | null;
  const message = answer?.message ?? `${events.origin} answered HTTP ${response.status}; is it Carillon?`;
  const passes = response.status >= 500 || response.status === 429;
  throw passes ? new Error(message) : new RefusedError(message);
}

async function relay(io: Listening, plan: Plan, { id, event, mode, data }: EventMessage): Promise<void> {
  if (id === undefined || event === undefined || data === undefined) return;
  const signed = { id, event, mode, body: data } as SignedEvent;
  const outcome = await post(io, plan, signed);
  io.print(`${io.clock.now().toISOString()}  ${event}  ${id}  ${outcome}`);
}

/** One attempt, like that of a delivery. @returns the outcome, in words */
async function post({ request, clock, signal }: Listening, plan: Plan, event: SignedEvent): Promise<string> {
  const { version } = packageJson;
  const headers = deliveryHeaders(event, { secret: plan.secret, now: clock.now(), version });
  const within = clock.deadline(ANSWER_WITHIN_MS, signal);
  try {
    const init = { method: 'POST', headers, body: event.body, redirect: 'manual', signal: within } as const;
    const response = await request(plan.forward, init);
    await response.body?.cancel();
    return `HTTP ${response.status}`;
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return within.aborted ? `no answer within ${ANSWER_WITHIN_MS / 1000} s` : `no answer (${code ?? String(error)})`;
  }
}
