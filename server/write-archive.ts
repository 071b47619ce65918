/**
 * Writes the files of an archive as one ZIP stream, a file at a time
 * (docs/decisions/0105-archive-an-account-as-a-zip-stream.md).
 */
import { Readable, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ArchiveEntry } from '../services/exports/archive-entries.ts';

/**
 * @param modifiedAt time of all files
 * @throws Error when the reader leaves, `signal` aborts, or a file cannot be read; the stream is destroyed then
 */
export async function writeArchive(
  entries: AsyncIterable<ArchiveEntry>,
  output: Writable,
  { modifiedAt, signal }: { readonly modifiedAt: Date; readonly signal: AbortSignal },
): Promise<void> {
  const zip = new ZipFile();
  const zipped = zip.outputStream as Readable;
  const broken = new AbortController();
  const over = AbortSignal.any([signal, broken.signal]);
  // The file tells of a stream that broke only by this event.
  zip.on('error', (error) => zipped.destroy(error as Error));
  const fill = async () => {
    for await (const { name, content, isCompressible } of entries) {
      const stream = Readable.from(content, { objectMode: false });
      zip.addReadStream(stream, name, { mtime: modifiedAt, compress: isCompressible });
      try {
        await finished(stream, { signal: over });
      } finally {
        stream.destroy();
      }
    }
    zip.end();
  };
  const filled = fill().catch((error: unknown) => {
    zipped.destroy(error as Error);
    throw error;
  });
  const written = pipeline(zipped, output, { signal }).catch((error: unknown) => {
    broken.abort();
    throw error;
  });
  const [, first] = await Promise.allSettled([filled, written]);
  if (first.status === 'rejected') throw first.reason;
  await filled;
}
