/**
 * PNG: a signature, then chunks up to IEND.
 *
 * @see https://www.w3.org/TR/png-3/#5Chunk-layout
 */
import { type Block, type ImageFormat, joinBlocks } from './image-format.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Length, name and checksum of a chunk. */
const CHUNK_FRAME_BYTES = 12;

/**
 * Chunks that affect how the picture looks. The frames of an animation are left out, because only its still picture is
 * decoded here.
 */
const KEPT = new Set([
  'signature',
  'IHDR',
  'PLTE',
  'tRNS',
  'IDAT',
  'IEND',
  'gAMA',
  'cHRM',
  'sRGB',
  'iCCP',
  'cICP',
  'sBIT',
  'bKGD',
  'pHYs',
]);

/**
 * The decoder also unpacks compressed texts, up to 50 MB each, although they are never shown: 200 of them in 8 MB take
 * a quarter of a minute. Encoders write one to three in a file.
 */
const PACKED_TEXTS_MAX = 20;

export const png: ImageFormat = {
  type: 'image/png',
  name: 'PNG',
  extension: 'png',
  limit: { names: ['zTXt', 'iTXt'], label: 'compressed texts', max: PACKED_TEXTS_MAX },
  begins: (bytes) => bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE),
  blocks,
  withoutMetadata: (bytes, found) => joinBlocks(bytes, found, ({ name }) => KEPT.has(name)),
};

function blocks(bytes: Buffer): Block[] | null {
  let at = SIGNATURE.length;
  const found: Block[] = [{ name: 'signature', start: 0, end: at }];
  while (at + CHUNK_FRAME_BYTES <= bytes.length) {
    const end = at + CHUNK_FRAME_BYTES + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    const name = bytes.toString('latin1', at + 4, at + 8);
    found.push({ name, start: at, end });
    if (name === 'IEND') return found;
    at = end;
  }
  return null;
}
