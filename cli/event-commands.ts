/** `events` prints the events of a key as they happen; `listen` relays them to a receiver on this machine. */
import { type Call, type CommandSpec, valueOf } from './command.ts';
import { followEvents } from '../client/follow-events.ts';
import { clientRuntime } from './client-runtime.ts';
import { listenCommand } from './listen-command.ts';
import { signIn, targetOf } from './signed-in.ts';
import { readLogin } from './stored-login.ts';
import type { StreamedEvent } from '../client/webhook-event.ts';
import { plainLine } from './terminal-text.ts';

const LISTEN = {
  summary:
    'Relay events to a receiver on this machine, signed like deliveries with CARILLON_WEBHOOK_SECRET or a new secret, which is printed.',
  options: [
    { flags: '--forward <url>', text: 'Receiver of the events, such as http://localhost:4000/hook.' },
    {
      flags: '--url <origin>',
      text: 'Install to follow. Default: CARILLON_URL. Without it PUBLIC_URL or this machine if CARILLON_KEY is set, otherwise that of the stored login.',
    },
  ],
  hasNoJson: true,
} as const;

export const EVENT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'events',
    summary: 'Print events as they happen, until Ctrl-C. With --json each is one line of JSON.',
    options: [{ flags: '--after <event id>', text: 'Begin after this event. Default: only new ones.' }],
    run: events,
  },
  { ...LISTEN, name: 'listen', run: listen },
  // Beside the other commands about webhooks, where people look for it.
  { ...LISTEN, name: 'webhooks listen', run: (call) => listen({ ...call, raw: call.raw.slice(1) }) },
];

async function events(call: Call): Promise<undefined> {
  const { io, isJson } = call;
  const login = await signIn(io);
  const { url } = login;
  const after = valueOf(call, 'after');
  const following = {
    signal: io.signal,
    tries: 1,
    ...(after === undefined ? {} : { lastEventId: after }),
    onConnection: (state: 'open' | 'lost') =>
      call.report(
        state === 'open' ? `Following the events of ${url}` : 'The stream ended. Following again after the last event.',
      ),
  };
  for await (const { mode, ...event } of followEvents({ ...clientRuntime(io), ...targetOf(io, login) }, following)) {
    const { eventId: id, event: name } = event;
    const shown = { id, event: name, mode, data: event };
    call.print(isJson ? JSON.stringify(shown) : plainLine(describe(event)));
  }
  return undefined;
}

/** An event in a line: its time, its name, and what it is about. */
function describe({ event, timestamp, ...about }: Omit<StreamedEvent, 'mode'>): string {
  const { post, connection } = about as { post?: Record<string, unknown>; connection?: Record<string, unknown> };
  return [timestamp, event, post?.['connectionSlug'] ?? connection?.['slug'], post?.['id'], post?.['text']]
    .filter((part) => typeof part === 'string')
    .join('  ');
}

async function listen(call: Call): Promise<undefined> {
  const { io, raw, print } = call;
  const { CARILLON_URL: address = '', CARILLON_KEY: key = '' } = io.env;
  // Without an address it follows the install of this machine, as npm run carillon does. A stored login comes first if no key is set.
  const isLocal = address === '' && (key !== '' || (await readLogin(io.env)) === undefined);
  const login = isLocal ? null : await signIn(io);
  const { clock, random, signal } = io;
  const target = login === null ? undefined : targetOf(io, login);
  await listenCommand({ request: io.fetch, clock, random, print, signal }, [...raw], io.env, target);
  return undefined;
}
