/** `webhooks list`, `create`, `rotate` and `delete`. A secret is printed once, or goes to a file that only the user can read. */
import { type Answer, type Call, type CommandSpec, valueOf, valuesOf } from './command.ts';
import { moreText, PAGE_OPTIONS, pageOf } from './posts-commands.ts';
import { withSecretFile } from './secret-file.ts';
import { type Client, clientOf } from './signed-in.ts';
import { painter, table } from './terminal-text.ts';

const SECRET_FILE = {
  flags: '--secret-file <file>',
  text: 'Write the secret to this new file instead of printing it.',
};

export const WEBHOOK_COMMANDS: readonly CommandSpec[] = [
  { name: 'webhooks list', summary: 'List the webhooks that the key manages.', options: PAGE_OPTIONS, run: list },
  {
    name: 'webhooks create',
    summary: 'Register an address that events are posted to.',
    operands: ['<url>'],
    options: [
      {
        flags: '--event <name>',
        text: 'Event to receive. Default: those about posts and connections.',
        isRepeated: true,
      },
      { flags: '--label <text>', text: 'Label for people.' },
      SECRET_FILE,
    ],
    run: create,
  },
  {
    name: 'webhooks rotate',
    summary: 'Give a webhook a new secret. The previous one still signs for 24 hours.',
    operands: ['<webhook id>'],
    options: [SECRET_FILE],
    run: rotate,
  },
  { name: 'webhooks delete', summary: 'End a webhook.', operands: ['<webhook id>'], run: remove },
];

async function list(call: Call): Promise<Answer> {
  const { io } = call;
  const body = await (await clientOf(io)).webhooks.list.query(pageOf(call));
  const rows = body.webhooks.map((one) => [
    one.id,
    one.enabled ? 'on' : `off (${one.disabledReason})`,
    one.url,
    one.events.join(' '),
  ]);
  const text = table(io.stdout, painter(io.stdout, io.env), ['ID', 'STATE', 'URL', 'EVENTS'], rows);
  return { body, text: text + moreText(body.nextCursor) };
}

type CreateInput = Parameters<Client['webhooks']['create']['mutate']>[0];

async function create(call: Call): Promise<Answer> {
  const [events, description] = [valuesOf(call, 'event'), valueOf(call, 'label')];
  const client = await clientOf(call.io);
  const input: CreateInput = {
    url: call.operands[0] ?? '',
    // The server names the events that there are.
    ...(events.length > 0 && { events: events as NonNullable<CreateInput['events']> }),
    ...(description !== undefined && { description }),
  };
  return withSecret(call, () => client.webhooks.create.mutate(input));
}

async function rotate(call: Call): Promise<Answer> {
  const client = await clientOf(call.io);
  const webhookId = call.operands[0] ?? '';
  return withSecret(call, () => client.webhooks.rotateSecret.mutate({ webhookId }));
}

async function remove(call: Call): Promise<Answer> {
  const webhookId = call.operands[0] ?? '';
  const body = await (await clientOf(call.io)).webhooks.delete.mutate({ webhookId });
  return { body, text: `${webhookId} deleted\n` };
}

/** Keeps the secret out of the answer when it goes to a file. */
async function withSecret(
  call: Call,
  send: () => Promise<{ webhook: { id: string; secret: string } }>,
): Promise<Answer> {
  const file = valueOf(call, 'secret-file');
  const { body, isStored } =
    file === undefined
      ? { body: await send(), isStored: false }
      : await withSecretFile(file, send, ({ webhook }) => webhook.secret);
  const { secret, ...webhook } = body.webhook;
  if (isStored) return { body: { webhook }, text: `${webhook.id}, secret in ${file}\n` };
  if (file !== undefined) call.report(`${file} could not be written, so the secret is printed.`);
  return { body, text: `${webhook.id}\n${secret}\n` };
}
