/** Writes and reads tar archives (POSIX.1-1988, ustar) of regular files and folders, with bounded memory. */
import { createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CopiedFile } from '../../entities/online-backup.ts';

const BLOCK = 512;
const READ_BYTES = 256 * 1024;
/** Longest name; longer ones would need extensions of the format, and no file of an install has one. */
const NAME_MAX = 100;
const SIZE_MAX = 8 ** 11 - 1;

/** A file that disappears before it is opened is left out. One that is cut meanwhile is filled up with zeros. */
export async function* writeTar(files: AsyncIterable<CopiedFile> | Iterable<CopiedFile>): AsyncGenerator<Buffer> {
  for await (const file of files) {
    if ('isFolder' in file) {
      yield header(`${file.name}/`, 0, '5');
    } else if ('content' in file) {
      const bytes = Buffer.from(file.content);
      yield Buffer.concat([header(file.name, bytes.length, '0'), bytes, padding(bytes.length)]);
    } else {
      yield* contentOf(file.name, file.path);
    }
  }
  yield Buffer.alloc(2 * BLOCK);
}

async function* contentOf(name: string, path: string): AsyncGenerator<Buffer> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return;
  try {
    const { size } = await handle.stat();
    yield header(name, size, '0');
    for (let at = 0; at < size;) {
      const buffer = Buffer.alloc(Math.min(READ_BYTES, size - at));
      await handle.read(buffer, 0, buffer.length, at);
      yield buffer;
      at += buffer.length;
    }
    yield padding(size);
  } finally {
    await handle.close();
  }
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

function header(name: string, size: number, type: '0' | '5'): Buffer {
  if (Buffer.byteLength(name) > NAME_MAX) throw new Error(`the name ${name} is too long for the archive`);
  if (size > SIZE_MAX) throw new Error(`${name} is too large for the archive`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, at);
  block.write(name, 0);
  octal(type === '5' ? 0o700 : 0o600, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write('ustar\x0000', 257);
  octal(sumOf(block), 148, 6);
  return block;
}

function sumOf(block: Buffer): number {
  return block.reduce((sum, byte) => sum + byte, 0);
}

/** An entry of an archive, whose content is to be read before the next entry is asked for. */
interface TarEntry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly size: number;
  readonly content: AsyncIterable<Buffer>;
}

/** @throws Error when the archive is cut short, or has anything else than files and folders */
export async function* readTar(archive: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = createByteReader(archive);
  for (;;) {
    const block = await bytes.take(BLOCK);
    if (block.every((byte) => byte === 0)) break;
    const entry = parseHeader(block);
    let left = entry.size;
    const content = async function* content(): AsyncGenerator<Buffer> {
      while (left > 0) {
        const chunk = await bytes.some(left);
        left -= chunk.length;
        yield chunk;
      }
    };
    yield { ...entry, content: content() };
    while (left > 0) left -= (await bytes.some(left)).length;
    await bytes.take(padding(entry.size).length);
  }
}

function parseHeader(block: Buffer): { name: string; isFolder: boolean; size: number } {
  const text = (at: number, length: number) => block.toString('utf8', at, at + length).replace(/\0.*$/s, '');
  const number = (at: number, length: number) => Number.parseInt(text(at, length).trim() || '0', 8);
  const sum = number(148, 8);
  const unsigned = Buffer.from(block).fill(' ', 148, 156);
  if (sumOf(unsigned) !== sum) throw new Error('the archive is damaged: the checksum of a header is wrong');
  const type = text(156, 1);
  const name = text(0, NAME_MAX);
  if (type !== '0' && type !== '5')
    throw new Error(`the archive has an entry of the type ${type}, which is not a file`);
  return { name, isFolder: type === '5', size: number(124, 12) };
}

/** Names that stay below the folder into which an archive is unpacked. */
const SAFE_NAME = /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[\w./+-]+$/;

/** Unpacks into a new folder, readable by this user only. @returns number of files */
export async function unpackTar(archive: AsyncIterable<Buffer>, folder: string): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let files = 0;
  for await (const { name, isFolder, content } of readTar(archive)) {
    if (!SAFE_NAME.test(name)) throw new Error(`the archive has a file with the name ${JSON.stringify(name)}`);
    const path = join(folder, name);
    await mkdir(isFolder ? path : dirname(path), { recursive: true, mode: 0o700 });
    if (isFolder) continue;
    await pipeline(Readable.from(content), createWriteStream(path, { mode: 0o600, flags: 'wx' }));
    files += 1;
  }
  return files;
}

interface ByteReader {
  /** Exactly so many bytes. */
  take(length: number): Promise<Buffer>;
  /** At least one byte, and at most so many. */
  some(most: number): Promise<Buffer>;
}

function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const some = async (most: number) => {
    while (rest.length === 0) {
      const { value, done } = await chunks.next();
      if (done === true) throw new Error('the archive is cut short');
      rest = value;
    }
    const given = rest.subarray(0, most);
    rest = rest.subarray(given.length);
    return given;
  };
  return {
    some,
    take: async (length) => {
      const parts: Buffer[] = [];
      for (let left = length; left > 0; left -= parts.at(-1)?.length ?? 0) parts.push(await some(left));
      return Buffer.concat(parts);
    },
  };
}
