/** `export`: everything of one kind as a stream, to standard output or a file, or all kinds with the images to a folder. */
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CarillonError, hasErrorCode } from '../client/errors.ts';
import { connect, errorOfAnswer, send } from '../client/connection.ts';
import { type Answer, type Call, type CommandSpec, valueOf } from './command.ts';
import { EXIT_CODES, type ExitKind } from './exit-codes.ts';
import { CommandError, failureOf } from './failure.ts';
import { UsageError } from './operator-client.ts';
import { progressOf } from './progress.ts';
import { repeatCall } from './repeat-call.ts';
import { clientFor, signIn, targetOf } from './signed-in.ts';
import type { StoredLogin } from './stored-login.ts';

/** What `--all` writes, in this order. */
export const ALL_KINDS = [
  'posts',
  'metrics',
  'audit',
  'connections',
  'queues',
  'webhooks',
  'profiles',
  'media',
] as const;

const ARCHIVE = 'archive';

export const EXPORT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'export',
    summary: `Export all rows of a kind: ${ALL_KINDS.join(', ')}; or ${ARCHIVE}, a ZIP file of everything.`,
    operands: ['[kind]', '[file]'],
    options: [
      { flags: '--format <format>', text: 'ndjson (default) or csv.' },
      { flags: '--after <id>', text: 'Go on after the row with this id.' },
      { flags: '--all <folder>', text: 'Write each kind to a file of this folder, and the images to images/.' },
    ],
    hasNoJson: true,
    run: exportData,
  },
];

async function exportData(call: Call): Promise<Answer | undefined> {
  const [kind, output] = call.operands;
  const [folder, after] = [valueOf(call, 'all'), valueOf(call, 'after')];
  const format = valueOf(call, 'format') ?? 'ndjson';
  if ((kind === undefined) === (folder === undefined)) throw new UsageError('Name a kind, or a folder with --all.');
  if (folder !== undefined && after !== undefined) throw new UsageError('--all takes no --after.');
  if (kind === ARCHIVE && output === undefined)
    throw new UsageError('An archive needs a file: carillon export archive all.zip');
  const login = await signIn(call.io);
  if (folder !== undefined) return exportAll(call, login, { folder, format });
  const wanted = { kind: kind ?? '', format, after };
  if (output === undefined) return print(call, login, wanted);
  await save(call, login, exportPath(wanted), output);
  return { body: null, text: `${output}\n` };
}

interface Wanted {
  readonly kind: string;
  readonly format: string;
  readonly after?: string | undefined;
}

function exportPath({ kind, format, after }: Wanted): string {
  const query = new URLSearchParams({ format, ...(after === undefined ? {} : { after }) });
  return `/api/v2/exports/${encodeURIComponent(kind)}?${query.toString()}`;
}

/** @throws CarillonError, NoAnswerError */
async function open({ io }: Call, login: StoredLogin, resource: string): Promise<ReadableStream<Uint8Array>> {
  const connection = connect({ ...targetOf(io, login), fetch: (input, init) => io.fetch(input, init) });
  const address = new URL(resource, login.url).href;
  const response = await send(connection, address, { headers: await connection.credential(), signal: io.signal });
  if (response.ok && response.body !== null) return response.body;
  throw await errorOfAnswer(connection, response);
}

/** Prints whole rows only, so that a file that is continued has no half one. */
async function print(call: Call, login: StoredLogin, wanted: Wanted): Promise<undefined> {
  const { stdout, signal } = call.io;
  const decoder = new TextDecoder();
  let [rest, last] = ['', ''];
  // Outside of the try: what never began did not break off, and its own error says why.
  const body = await open(call, login, exportPath(wanted));
  try {
    for await (const bytes of body) {
      const text = rest + decoder.decode(bytes, { stream: true });
      const end = endOfRows(text, wanted);
      stdout.write(text.slice(0, end));
      await stdout.drain();
      rest = text.slice(end);
      if (end > 0) last = text.slice(text.lastIndexOf('\n', end - 2) + 1, end - 1);
    }
    stdout.write(rest);
    return undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new CommandError('unavailable', 'The export broke off, so it is incomplete.', howToContinue(last, wanted));
  }
}

/** Where the last whole row of a text that begins with a row ends. A line break between quotation marks is in a cell. */
function endOfRows(text: string, { format }: Wanted): number {
  if (format !== 'csv') return text.lastIndexOf('\n') + 1;
  let [end, isQuoted] = [0, false];
  for (const { 0: mark, index } of text.matchAll(/["\n]/g)) {
    // A quotation mark in a cell is doubled, so it ends the quotation and begins it again.
    if (mark === '"') isQuoted = !isQuoted;
    else if (!isQuoted) end = index + 1;
  }
  return end;
}

/** The rows of the metrics have no id: a post has several, of which the last may be missing. */
function howToContinue(last: string, { kind, format }: Wanted): string | undefined {
  if (format !== 'ndjson' || last === '' || kind === 'metrics') return undefined;
  // The row of a queue is that of its connection.
  const { id, connectionId } = JSON.parse(last) as { id?: string; connectionId?: string };
  return `Go on with: carillon export ${kind} --after ${id ?? connectionId}`;
}

/** Writes an answer to a file that appears when it is complete. */
async function save(call: Call, login: StoredLogin, resource: string, file: string): Promise<void> {
  const body = await open(call, login, resource);
  const part = `${file}.part`;
  const [answer, output] = [Readable.fromWeb(body as never), createWriteStream(part, { mode: 0o600 })];
  let kind: ExitKind = 'failed';
  // The stream that fails first ends the other one with its error.
  answer.once('error', () => (kind = output.errored === null ? 'unavailable' : 'failed'));
  try {
    await pipeline(answer, output, { signal: call.io.signal });
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw new CommandError(kind, `${file} could not be written completely (${(error as Error).message}).`);
  }
}

async function exportAll(
  call: Call,
  login: StoredLogin,
  { folder, format }: { readonly folder: string; readonly format: string },
): Promise<Answer> {
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw new CommandError('failed', `${folder} cannot be made (${error.message}).`);
  });
  const files: string[] = [];
  for (const kind of ALL_KINDS) {
    const file = path.join(folder, `${kind}.${format}`);
    call.report(`Exporting ${kind}`);
    if (await saveIfAllowed(call, login, { kind, format, file })) files.push(file);
  }
  const images = await saveImages(call, login, path.join(folder, 'images'));
  const isWhole = files.length === ALL_KINDS.length && images.unreadable === 0;
  return {
    body: null,
    text: `${files.join('\n')}\n${images.saved} images\n`,
    exitCode: isWhole ? EXIT_CODES.ok.code : EXIT_CODES.partial.code,
  };
}

/** @returns false when the key may not read the kind */
async function saveIfAllowed(
  call: Call,
  login: StoredLogin,
  { kind, format, file }: Wanted & { readonly file: string },
): Promise<boolean> {
  try {
    await repeatCall(call, () => save(call, login, exportPath({ kind, format }), file));
    return true;
  } catch (error) {
    if (!(error instanceof CarillonError) || error.body?.error !== 'forbidden') throw error;
    call.report(`${kind} was left out: ${error.message}`);
    return false;
  }
}

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** Images that are there already with their whole length are kept, so that a second run goes on. @returns how many */
async function saveImages(call: Call, login: StoredLogin, folder: string) {
  const client = clientFor(call.io, login);
  const progress = progressOf(call);
  const counts = { saved: 0, unreadable: 0, deleted: 0 };
  let cursor: string | null = null;
  try {
    do {
      const page: Awaited<ReturnType<typeof client.media.list.query>> = await repeatCall(call, () =>
        client.media.list.query({ limit: 100, ...(cursor === null ? {} : { cursor }) }),
      );
      progress.show(counts.saved, counts.saved + page.media.length, 'images');
      if (page.media.length > 0) await mkdir(folder, { recursive: true });
      for (const { id, contentType, sizeBytes } of page.media) {
        const file = path.join(folder, `${id}.${ENDINGS[contentType] ?? 'bin'}`);
        const size = await stat(file).then(
          ({ size: bytes }) => bytes,
          () => -1,
        );
        counts[size === sizeBytes ? 'saved' : await saveImage(call, login, { id, file })] += 1;
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
    return counts;
  } finally {
    progress.end();
  }
}

/** An image that cannot be read, because its bytes are damaged, must not end every export of its account. */
async function saveImage(
  call: Call,
  login: StoredLogin,
  { id, file }: { readonly id: string; readonly file: string },
): Promise<'saved' | 'unreadable' | 'deleted'> {
  try {
    await repeatCall(call, () => save(call, login, `/api/v2/media/${id}/raw`, file));
    return 'saved';
  } catch (error) {
    if (hasErrorCode(error, 'not_found')) return 'deleted';
    if (!hasErrorCode(error, 'storage_unavailable')) throw error;
    call.report(`The image ${id} was left out: ${failureOf(error).message}`);
    return 'unreadable';
  }
}
