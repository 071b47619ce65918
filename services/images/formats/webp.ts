/**
 * WebP: a RIFF container whose header contains its length, and chunks in it.
 *
 * @see https://developers.google.com/speed/webp/docs/riff_container
 */
import { type Block, type ImageFormat, joinBlocks } from './image-format.ts';

/** `RIFF`, the length of what follows, `WEBP`. */
const HEADER_BYTES = 12;

/** Name and length of a chunk. */
const CHUNK_HEADER_BYTES = 8;

const KEPT = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

/** Bits of VP8X that announce Exif and XMP. */
const METADATA_FLAGS = 0x08 | 0x04;

export const webp: ImageFormat = {
  type: 'image/webp',
  name: 'WebP',
  extension: 'webp',
  begins: (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  blocks,
  withoutMetadata,
};

function blocks(bytes: Buffer): Block[] | null {
  if (bytes.length < HEADER_BYTES) return null;
  const fileEnd = 8 + bytes.readUInt32LE(4);
  if (fileEnd > bytes.length) return null;
  const found: Block[] = [{ name: 'header', start: 0, end: HEADER_BYTES }];
  let at = HEADER_BYTES;
  while (at + CHUNK_HEADER_BYTES <= fileEnd) {
    const length = bytes.readUInt32LE(at + 4);
    // Chunks start at even offsets; some encoders leave the last one unpadded.
    const end = at + CHUNK_HEADER_BYTES + length + (length % 2);
    if (end > fileEnd + 1 || end > bytes.length) return null;
    found.push({ name: bytes.toString('latin1', at, at + 4), start: at, end });
    at = end;
  }
  return at >= fileEnd && found.length > 1 ? found : null;
}

function withoutMetadata(bytes: Buffer, found: readonly Block[]): Buffer {
  const chunks = joinBlocks(bytes, found, ({ name }) => KEPT.has(name));
  const header = Buffer.from(bytes.subarray(0, HEADER_BYTES));
  header.writeUInt32LE(chunks.length + 4, 4);
  if (chunks.toString('latin1', 0, 4) === 'VP8X')
    chunks[CHUNK_HEADER_BYTES] = (chunks[CHUNK_HEADER_BYTES] as number) & ~METADATA_FLAGS;
  return Buffer.concat([header, chunks]);
}
