/** `feeds`, `calendars` and `slots`: where posts come from, and when. */
import { type Answer, type Call, type CommandSpec, hasFlag, valueOf, valuesOf } from './command.ts';
import { connectionNamed } from './connection-named.ts';
import { UsageError } from './operator-client.ts';
import { moreText, PAGE_OPTIONS, pageOf } from './posts-commands.ts';
import { type Client, clientOf } from './signed-in.ts';
import { painter, table } from './terminal-text.ts';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

export const SOURCE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'slots',
    summary: 'Show or set the weekly slots of a queue: carillon slots bell mon-09:00 thu-18:30 --zone Europe/Paris',
    operands: ['<connection>', '[slot...]'],
    options: [
      { flags: '--zone <zone>', text: 'IANA zone of the slots.' },
      { flags: '--clear', text: 'Remove all slots.' },
      { flags: '--pause', text: 'Hold queued posts back.' },
      { flags: '--resume', text: 'Let queued posts go on.' },
    ],
    run: slots,
  },
  { name: 'feeds list', summary: 'List the RSS and Atom feeds.', options: PAGE_OPTIONS, run: listFeeds },
  {
    name: 'feeds add',
    summary: 'Make posts from the new items of a feed.',
    operands: ['<url>'],
    options: [
      { flags: '--to <slug>', text: 'Connection to write for.', isRepeated: true },
      { flags: '--profile <id>', text: 'Profile of the connections.' },
      { flags: '--template <text>', text: 'Text of the posts, with {title}, {link} and {summary}.' },
      { flags: '--queue', text: 'Queue the posts. Default: drafts.' },
    ],
    run: addFeed,
  },
  { name: 'feeds poll', summary: 'Look for new items soon.', operands: ['<feed id>'], run: pollFeed },
  { name: 'feeds delete', summary: 'End a feed. Its posts stay.', operands: ['<feed id>'], run: deleteFeed },
  { name: 'calendars list', summary: 'List the calendars.', options: PAGE_OPTIONS, run: listCalendars },
  {
    name: 'calendars create',
    summary: 'Make a private address of posts and slots for calendar applications. It is shown once.',
    operands: ['[name]'],
    options: [
      { flags: '--profile <id>', text: 'Only this profile.' },
      { flags: '--connection <id>', text: 'Only this connection.' },
    ],
    run: createCalendar,
  },
  {
    name: 'calendars renew',
    summary: 'Give a calendar a new address; the previous one ends.',
    operands: ['<calendar id>'],
    run: renewCalendar,
  },
  { name: 'calendars revoke', summary: 'End a calendar.', operands: ['<calendar id>'], run: revokeCalendar },
];

const idOf = ({ operands }: Call) => operands[0] ?? '';

function tableOf({ io }: Call, headings: readonly string[], cells: readonly string[][]): string {
  return table(io.stdout, painter(io.stdout, io.env), headings, cells);
}

type Slot = { weekday: number; time: string };

async function slots(call: Call): Promise<Answer> {
  const client = await clientOf(call.io);
  const connection = await connectionNamed(client, idOf(call));
  const [pause, resume, clear] = ['pause', 'resume', 'clear'].map((name) => hasFlag(call, name));
  if (pause === true && resume === true) throw new UsageError('Give either --pause or --resume.');
  const timezone = valueOf(call, 'zone');
  const change = {
    ...((call.rest.length > 0 || clear === true) && { slots: call.rest.map(slotOf) }),
    ...(timezone !== undefined && { timezone }),
    ...(pause === true && { paused: true }),
    ...(resume === true && { paused: false }),
  };
  const isChanged = Object.keys(change).length > 0;
  if (isChanged) await client.connections.updateQueue.mutate({ connectionId: connection.id, ...change });
  const { connection: body } = await client.connections.get.query({ connectionId: connection.id });
  const words = (body.queueSlots as Slot[]).map(({ weekday, time }) => `${DAYS[weekday] ?? ''}-${time}`).join(' ');
  const state = body.queuePaused ? 'paused' : `next ${body.nextSlotAt ?? 'none'}`;
  return { body: { connection: body }, text: `${words === '' ? 'no slots' : words} (${body.timezone}), ${state}\n` };
}

function slotOf(text: string): Slot {
  const [, day = '', time = ''] = /^([a-z]{3})-(\d\d:\d\d)$/i.exec(text) ?? [];
  const weekday = DAYS.indexOf(day.toLowerCase());
  if (weekday === -1) throw new UsageError(`"${text}" is no slot. A slot is a day and a time, such as mon-09:00.`);
  return { weekday, time };
}

async function listFeeds(call: Call): Promise<Answer> {
  const body = await (await clientOf(call.io)).feeds.list.query(pageOf(call));
  const cells = body.feeds.map((feed) => [
    feed.id,
    feed.enabled ? 'on' : 'off',
    feed.connectionSlugs.join(' '),
    feed.url,
  ]);
  return { body, text: tableOf(call, ['ID', 'STATE', 'CONNECTIONS', 'URL'], cells) + moreText(body.nextCursor) };
}

async function addFeed(call: Call): Promise<Answer> {
  const [profileId, template] = [valueOf(call, 'profile'), valueOf(call, 'template')];
  const body = await (
    await clientOf(call.io)
  ).feeds.create.mutate({
    url: idOf(call),
    connectionSlugs: valuesOf(call, 'to'),
    ...(profileId !== undefined && { profileId }),
    ...(template !== undefined && { template }),
    ...(hasFlag(call, 'queue') && { delivery: 'queue' as const }),
  });
  return { body, text: `${body.feed.id}\n` };
}

async function pollFeed(call: Call): Promise<Answer> {
  const body = await (await clientOf(call.io)).feeds.poll.mutate({ feedId: idOf(call) });
  return { body, text: `next look at ${body.feed.nextPollAt ?? 'no time: the feed is off'}\n` };
}

async function deleteFeed(call: Call): Promise<Answer> {
  return ended(call, (client) => client.feeds.delete.mutate({ feedId: idOf(call) }));
}

async function listCalendars(call: Call): Promise<Answer> {
  const body = await (await clientOf(call.io)).calendars.list.query(pageOf(call));
  const cells = body.calendars.map((one) => [one.id, one.name, one.createdAt]);
  return { body, text: tableOf(call, ['ID', 'NAME', 'CREATED'], cells) + moreText(body.nextCursor) };
}

async function createCalendar(call: Call): Promise<Answer> {
  const [name] = call.operands;
  const [profileId, connectionId] = [valueOf(call, 'profile'), valueOf(call, 'connection')];
  const body = await (
    await clientOf(call.io)
  ).calendars.create.mutate({
    ...(name !== undefined && { name }),
    ...(profileId !== undefined && { profileId }),
    ...(connectionId !== undefined && { connectionId }),
  });
  return { body, text: `${body.calendar.url}\n` };
}

async function renewCalendar(call: Call): Promise<Answer> {
  const body = await (await clientOf(call.io)).calendars.renew.mutate({ calendarId: idOf(call) });
  return { body, text: `${body.calendar.url}\n` };
}

async function revokeCalendar(call: Call): Promise<Answer> {
  return ended(call, (client) => client.calendars.revoke.mutate({ calendarId: idOf(call) }));
}

async function ended(call: Call, end: (client: Client) => Promise<unknown>): Promise<Answer> {
  return { body: await end(await clientOf(call.io)), text: `${idOf(call)} ended\n` };
}
