/** `connections`, `connect` and `queue`. */
import { type Answer, type Call, type CommandSpec, hasFlag, valueOf } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { connectionNamed } from './connection-named.ts';
import { repeatCall } from './repeat-call.ts';
import { type Client, clientOf } from './signed-in.ts';
import { painter, plainLine, table } from './terminal-text.ts';
import { moreText, PAGE_OPTIONS, pageOf } from './posts-commands.ts';

/** Real milliseconds between two looks at a connect session. */
const LOOK_AGAIN_MS = 2_000;

export const CONNECTION_COMMANDS: readonly CommandSpec[] = [
  { name: 'connections', summary: 'List the connections that the key reaches.', options: PAGE_OPTIONS, run: list },
  {
    name: 'connect',
    summary: 'Connect an account on the hosted page, and wait until that is done.',
    operands: ['[platform]'],
    options: [
      { flags: '--profile <id>', text: 'Profile that the connection goes into.' },
      {
        flags: '--again <connection>',
        text: 'Connect the account of this connection again, by slug or id. It decides platform and profile.',
      },
      { flags: '--print', text: 'Print the address of the page, and open no browser.' },
      { flags: '--link-only', text: 'Answer the link at once, and neither open it nor wait.' },
    ],
    run: connect,
  },
  {
    name: 'queue',
    summary: 'List the posts that wait in the queue of a connection.',
    operands: ['<connection>'],
    options: PAGE_OPTIONS,
    run: queue,
  },
];

async function list(call: Call): Promise<Answer> {
  const { io } = call;
  const body = await (await clientOf(io)).connections.list.query(pageOf(call));
  const state = ({ reconnectRequired, queuePaused }: (typeof body)['connections'][number]) => {
    if (reconnectRequired !== null) return 'connect again';
    return queuePaused ? 'queue paused' : 'ok';
  };
  const rows = body.connections.map((one) => [
    one.slug,
    one.platformId,
    state(one),
    one.id,
    `${one.handle}  ${one.description}`,
  ]);
  const text = table(io.stdout, painter(io.stdout, io.env), ['CONNECTION', 'PLATFORM', 'STATE', 'ID', 'ACCOUNT'], rows);
  return { body, text: text + moreText(body.nextCursor) };
}

async function connect(call: Call): Promise<Answer> {
  const { io, operands, report } = call;
  const [platform] = operands;
  const [profileId, again] = [valueOf(call, 'profile'), valueOf(call, 'again')];
  const client = await clientOf(io);
  const link = await client.connect.createLink.mutate({
    ...(platform === undefined ? {} : { platform }),
    ...(profileId === undefined ? {} : { profileId }),
    ...(again === undefined ? {} : { reconnectConnectionId: (await connectionNamed(client, again)).id }),
  });
  if (hasFlag(call, 'link-only')) return { body: link, text: `${link.url}\nIt works once, until ${link.expiresAt}.\n` };
  if (!hasFlag(call, 'print')) io.openBrowser(link.url);
  report(`Connect the account at ${link.url}`);
  report(`Waiting until ${link.expiresAt}; Ctrl-C ends the wait, and the link stays valid.`);
  return connected(client, await finished(call, client, link.connectSessionId));
}

type Session = Awaited<ReturnType<Client['connect']['get']['query']>>['connectSession'];

async function finished(call: Call, client: Client, connectSessionId: string): Promise<Session> {
  for (;;) {
    const { connectSession } = await repeatCall(call, () => client.connect.get.query({ connectSessionId }));
    if (connectSession.status !== 'pending') return connectSession;
    await call.io.clock.sleep(LOOK_AGAIN_MS, call.io.signal);
  }
}

async function connected(client: Client, connectSession: Session): Promise<Answer> {
  const { status, error, connectionId } = connectSession;
  if (status !== 'connected' || connectionId === null) {
    const text = `Nothing was connected: ${status}${error === null ? '' : ` (${error})`}.\n`;
    return { body: { connectSession }, text, exitCode: EXIT_CODES.refused.code };
  }
  const { connection } = await client.connections.get.query({ connectionId });
  const text = `Connected ${plainLine(connection.handle)} on ${connection.platformId}. Post to it with --to ${connection.slug}\n`;
  return { body: { connectSession, connection }, text };
}

async function queue(call: Call): Promise<Answer> {
  const { io, operands } = call;
  const client = await clientOf(io);
  const { id: connectionId } = await connectionNamed(client, operands[0] ?? '');
  const body = await client.connections.queue.query({ connectionId, ...pageOf(call) });
  const rows = body.queue.map((post) => [post.scheduledFor, post.id, String(post.mediaCount), post.text]);
  const text = table(io.stdout, painter(io.stdout, io.env), ['SLOT', 'ID', 'IMAGES', 'TEXT'], rows);
  return { body, text: (body.paused ? 'The queue is paused.\n' : '') + text + moreText(body.nextCursor) };
}
