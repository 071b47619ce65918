/** `stop`, `stops` and `release`: nothing goes out until it is released. They need a key of the whole account. */
import { type Answer, type Call, type CommandSpec, hasFlag, valueOf } from './command.ts';
import { moreText, PAGE_OPTIONS, pageOf } from './posts-commands.ts';
import { clientOf } from './signed-in.ts';
import { painter, table } from './terminal-text.ts';

export const STOP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'stop',
    summary: 'Stop sending, of the whole account or of a part. Scheduled posts are held.',
    options: [
      { flags: '--profile <id>', text: 'Only what belongs to this profile.' },
      { flags: '--made-by-key <id>', text: 'Only what this API key has created.' },
      { flags: '--made-by-agent <id>', text: 'Only what the agent with this OAuth grant has created.' },
      { flags: '--reason <text>', text: 'Why, for the errors of what is stopped.' },
    ],
    run: stop,
  },
  { name: 'stops', summary: 'List the active stops.', options: PAGE_OPTIONS, run: list },
  {
    name: 'release',
    summary: 'Release a stop. The posts that it held go on.',
    operands: ['<stop id>'],
    options: [{ flags: '--drop', text: 'Cancel the held posts.' }],
    run: release,
  },
];

async function stop(call: Call): Promise<Answer> {
  const [profileId, keyId, grantId, reason] = ['profile', 'made-by-key', 'made-by-agent', 'reason'].map((name) =>
    valueOf(call, name),
  );
  const body = await (
    await clientOf(call.io)
  ).stops.start.mutate({
    ...(profileId !== undefined && { profileId }),
    ...(keyId !== undefined && { keyId }),
    ...(grantId !== undefined && { grantId }),
    ...(reason !== undefined && { reason }),
  });
  const { id, held, sending } = body.stop;
  return {
    body,
    text: `Stopped: ${held} posts are held, ${sending} are being sent. To end it: carillon release ${id}\n`,
  };
}

async function list(call: Call): Promise<Answer> {
  const { io } = call;
  const body = await (await clientOf(io)).stops.list.query(pageOf(call));
  const cells = body.stops.map(({ id, kind, held, startedAt, startedBy, reason }) => [
    id,
    kind,
    String(held),
    startedAt,
    startedBy.name,
    reason ?? '',
  ]);
  const headings = ['ID', 'OF', 'HELD', 'SINCE', 'BY', 'REASON'];
  return { body, text: table(io.stdout, painter(io.stdout, io.env), headings, cells) + moreText(body.nextCursor) };
}

async function release(call: Call): Promise<Answer> {
  const [stopId = ''] = call.operands;
  const posts = hasFlag(call, 'drop') ? 'drop' : 'send';
  const body = await (await clientOf(call.io)).stops.release.mutate({ stopId, posts });
  return {
    body,
    text: posts === 'drop' ? 'Released: the held posts are cancelled.\n' : 'Released: the held posts go on.\n',
  };
}
