/**
 * GIF: a screen, then pictures and extensions in chains of sub-blocks, up to the trailer.
 *
 * @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt
 */
import { type Block, type ImageFormat, joinBlocks } from './image-format.ts';

const TRAILER = 0x3b;
const EXTENSION = 0x21;
const PICTURE = 0x2c;

/** Bytes of the signature and the screen descriptor, and of an image descriptor. */
const SCREEN_BYTES = 13;
const PICTURE_BYTES = 10;

/** Extension that says how a picture is shown. */
const CONTROL = 0xf9;
const APPLICATION = 0xff;

/** Applications whose extension says how often an animation repeats. */
const LOOPS = ['NETSCAPE2.0', 'ANIMEXTS1.0'];

export const gif: ImageFormat = {
  type: 'image/gif',
  name: 'GIF',
  extension: 'gif',
  begins: (bytes) => ['GIF87a', 'GIF89a'].includes(bytes.toString('latin1', 0, 6)),
  blocks,
  withoutMetadata: (bytes, found) => joinBlocks(bytes, found, (block) => keeps(bytes, block)),
};

function blocks(bytes: Buffer): Block[] | null {
  if (bytes.length < SCREEN_BYTES) return null;
  let at = SCREEN_BYTES + colourTableBytes(bytes[10] as number);
  const found: Block[] = [{ name: 'screen', start: 0, end: at }];
  while (at < bytes.length) {
    const kind = bytes[at] as number;
    const end = blockEnd(bytes, at, kind);
    if (end === null) return null;
    found.push({ name: kind === EXTENSION ? 'extension' : kind === PICTURE ? 'picture' : 'trailer', start: at, end });
    if (kind === TRAILER) return found;
    at = end;
  }
  return null;
}

function blockEnd(bytes: Buffer, at: number, kind: number): number | null {
  if (kind === TRAILER) return at + 1;
  if (kind === EXTENSION) return chainEnd(bytes, at + 2);
  if (kind !== PICTURE || at + PICTURE_BYTES > bytes.length) return null;
  // One byte before the chain is the LZW minimum code size.
  return chainEnd(bytes, at + PICTURE_BYTES + colourTableBytes(bytes[at + 9] as number) + 1);
}

/** Where a chain of sub-blocks ends, after its empty one; null when it is truncated. */
function chainEnd(bytes: Buffer, start: number): number | null {
  for (let at = start; at < bytes.length;) {
    const length = bytes[at] as number;
    at += 1 + length;
    if (length === 0) return at;
  }
  return null;
}

function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

function keeps(bytes: Buffer, { name, start }: Block): boolean {
  if (name !== 'extension') return true;
  const label = bytes[start + 1];
  if (label === CONTROL) return true;
  return label === APPLICATION && LOOPS.includes(bytes.toString('latin1', start + 3, start + 14));
}
