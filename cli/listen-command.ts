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
import type { ConnectionOptions } from '../client/connection.ts';
import { followEvents } from '../client/follow-events.ts';
import type { StreamedEvent } from '../client/webhook-event.ts';
import { clientRuntime } from './client-runtime.ts';
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
  url: { type: 'string' },
} as const;

/** The parsed arguments. */
interface Plan {
  /** Origin of the install. */
  readonly url: string;
  readonly target: ConnectionOptions;
  readonly forward: URL;
  readonly secret: string;
}

/** The same timeout as for a receiver of deliveries. */
const ANSWER_WITHIN_MS = 5_000;

/**
 * Listens until the signal aborts.
 *
 * @param login the install and the credential to use instead of those of `env`
 * @throws Error with a sentence that says what to correct
 */
export async function listenCommand(
  io: Listening,
  args: string[],
  env: Environment,
  login?: ConnectionOptions,
): Promise<void> {
  const plan = readPlan(io, args, env, login);
  const { request: fetch, clock, random, signal } = io;
  let isIntroduced = false;
  const onConnection = (state: 'open' | 'lost') => {
    if (state === 'lost') io.print('The stream ended. Listening again after the last event.');
    else if (!isIntroduced) introduce(io, plan);
    isIntroduced = true;
  };
  const target = { ...clientRuntime({ fetch, clock, random }), ...plan.target };
  for await (const event of followEvents(target, { signal, tries: 1, onConnection })) await relay(io, plan, event);
}

function readPlan(io: Listening, args: string[], env: Environment, login?: ConnectionOptions): Plan {
  const { forward, url } = parse(args);
  const { CARILLON_KEY: key, CARILLON_WEBHOOK_SECRET: secret = newWebhookSecret(io.random) } = env;
  if (forward === undefined) throw new UsageError('Set where events go with --forward, e.g. http://localhost:4000.');
  const problem = receiverUrlProblem(forward);
  if (problem !== null) throw new UsageError(`--forward: expected ${problem}, not "${forward}".`);
  const rest = { forward: new URL(forward), secret };
  if (login !== undefined) {
    if (url !== undefined && new URL(serverOrigin(url, env)).origin !== new URL(login.url).origin)
      throw new UsageError(
        `--url names ${url}, but the login is for ${login.url}. Set CARILLON_URL and CARILLON_KEY for the other install.`,
      );
    return { url: login.url, target: login, ...rest };
  }
  if (key === undefined || key === '') throw new UsageError('Set the API key with CARILLON_KEY.');
  const origin = serverOrigin(url, env);
  return { url: origin, target: { url: origin, apiKey: key }, ...rest };
}

function parse(args: string[]): Partial<Record<keyof typeof OPTIONS, string>> {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function introduce({ print }: Listening, { url, forward, secret }: Plan): void {
  print(`Listening at ${new URL(url).origin}; events go to ${forward.href}`);
  print(`They are signed with ${secret}`);
}

async function relay(io: Listening, plan: Plan, { mode, ...event }: StreamedEvent): Promise<void> {
  const { event: name, eventId: id } = event;
  const outcome = await post(io, plan, { id, event: name, mode, body: JSON.stringify(event) } as SignedEvent);
  io.print(`${io.clock.now().toISOString()}  ${name}  ${id}  ${outcome}`);
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
