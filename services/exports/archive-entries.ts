/**
 * The files of an archive: an export of each kind that the caller may read, the images, and a list of both. One at a time, so
 * that the memory of an archive does not depend on its length.
 */
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { readMediaBytes } from '../media/read-media-bytes.ts';
import { DAMAGED_MESSAGE, DamagedImage } from '../media/read-stored-image.ts';
import { timestamp } from '../timestamp.ts';
import { exportEnd } from './export-end.ts';
import { EXPORT_KINDS, type ExportKindName } from './export-kinds.ts';
import { EXPORT_PAGE } from './export-page.ts';
import { type ExportFormat, exportRows, requireExportAccess, requireInForce } from './export-rows.ts';
import { mediaPage } from './media-page.ts';

export interface ArchiveEntry {
  /** Path in the archive. */
  readonly name: string;
  readonly content: AsyncIterable<string | Uint8Array>;
  /** False for what is compressed already. */
  readonly isCompressible: boolean;
}

/** @throws Error when the key, grant or role of the caller ends meanwhile */
export async function* archiveEntries(
  context: Context,
  caller: Caller,
  format: ExportFormat,
): AsyncGenerator<ArchiveEntry, void, undefined> {
  const kinds = Object.keys(EXPORT_KINDS) as ExportKindName[];
  const readable = kinds.filter((kind) => mayRead(caller, kind));
  yield entry('README.txt', [readme(context, { kinds, readable, format })]);
  for (const kind of readable) {
    yield entry(`${kind}.${format}`, exportRows(context, caller, { kind, format, after: null }));
  }
  if (readable.includes('media')) yield* images(context, caller);
}

function mayRead(caller: Caller, kind: ExportKindName): boolean {
  try {
    requireExportAccess(caller, kind);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function entry(name: string, content: AsyncIterable<string> | string[]): ArchiveEntry {
  return { name, content: Array.isArray(content) ? textOf(content) : content, isCompressible: true };
}

async function* textOf(parts: readonly string[]): AsyncGenerator<string, void, undefined> {
  yield* parts;
}

async function* images(context: Context, caller: Caller): AsyncGenerator<ArchiveEntry, void, undefined> {
  const until = await exportEnd(context, EXPORT_KINDS.media.table);
  let after: string | null = null;
  do {
    const page = await mediaPage(context, caller, { after, until, limit: EXPORT_PAGE });
    for (const { id } of page.rows) {
      await requireInForce(context, caller);
      const image = await readMediaBytes(context, caller, String(id)).catch(ignoreUnreadable);
      if (image === 'deleted') continue;
      if (image === 'damaged') yield entry(`images/${String(id)}.damaged.txt`, [`${DAMAGED_MESSAGE}\n`]);
      else yield { name: `images/${image.fileName}`, content: bytesOf(image.bytes), isCompressible: false };
    }
    after = page.next;
  } while (after !== null);
}

/** An image that was deleted since its page was read is left out. A damaged one must not end every archive of its account. */
function ignoreUnreadable(error: unknown): 'deleted' | 'damaged' {
  if (error instanceof DamagedImage) return 'damaged';
  if (error instanceof ServiceError && error.code === 'not_found') return 'deleted';
  throw error;
}

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

interface Contents {
  readonly kinds: readonly ExportKindName[];
  readonly readable: readonly ExportKindName[];
  readonly format: ExportFormat;
}

function readme({ clock, config }: Context, { kinds, readable, format }: Contents): string {
  const left = kinds.filter((kind) => !readable.includes(kind));
  return [
    `Everything of an account of ${config.publicUrl}, as of ${timestamp(clock.now())}.`,
    ...readable.map((kind) => `${kind}.${format}`),
    ...(readable.includes('media') ? ['images/: the bytes of the images'] : []),
    ...(left.length > 0 ? [`Left out, because the rights that asked for it do not reach it: ${left.join(', ')}.`] : []),
    'There are no credentials, keys, secrets of webhooks, or addresses of calendars in it.',
    '',
  ].join('\n');
}
