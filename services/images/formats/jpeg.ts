/**
 * JPEG: segments that begin with a marker, and scans of coded data between them, up to the marker EOI.
 *
 * @see https://www.w3.org/Graphics/JPEG/itu-t81.pdf annex B
 */
import { type Block, type ImageFormat, joinBlocks } from './image-format.ts';

const EOI = 0xd9;
const SOS = 0xda;

/**
 * Each scan of a progressive JPEG covers the whole picture again: 2,647 valid scans fit into 485 KB and take minutes.
 * Encoders write about 10, and mozjpeg at most some 20; a hundred over 50 megapixels take a second or two.
 */
const SCANS_MAX = 100;

/** Length of a JFIF header without a thumbnail. */
const PLAIN_JFIF_BYTES = 18;

/** Application segments that affect how the picture looks, by marker, with their identifiers. */
const KEPT_APPLICATION = new Map([
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
]);

export const jpeg: ImageFormat = {
  type: 'image/jpeg',
  name: 'JPEG',
  extension: 'jpg',
  limit: { names: [SOS.toString(16)], label: 'scans', max: SCANS_MAX },
  begins: (bytes) => bytes.length > 3 && bytes.readUIntBE(0, 3) === 0xffd8ff,
  blocks,
  withoutMetadata: (bytes, found) => joinBlocks(bytes, found, (block) => keeps(bytes, block)),
  // Phones append a depth or brightness map to the picture, as further JPEGs, and announce it (CIPA DC-007).
  mayFollow: (tail, found, bytes) =>
    found.some((block) => startsWith(bytes, block, 0xe2, 'MPF\0')) && isRowOfJpegs(tail),
};

function blocks(bytes: Buffer): Block[] | null {
  const found: Block[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const marker = bytes[at + 1] as number;
    if (bytes[at] !== 0xff || marker === 0x00) return null;
    const end = marker === 0xff ? at + 1 : segmentEnd(bytes, at, marker);
    if (end === null || end > bytes.length) return null;
    // Any number of 0xff fill bytes may precede a marker.
    if (marker !== 0xff) found.push({ name: marker.toString(16).padStart(2, '0'), start: at, end });
    if (marker === EOI) return found;
    at = end;
  }
  return null;
}

function segmentEnd(bytes: Buffer, at: number, marker: number): number | null {
  if (marker === 0x01 || (marker >= 0xd0 && marker <= EOI)) return at + 2;
  if (at + 4 > bytes.length) return null;
  const length = bytes.readUInt16BE(at + 2);
  if (length < 2) return null;
  const end = at + 2 + length;
  return marker === SOS ? scanEnd(bytes, end) : end;
}

/** Position of the marker that ends the coded data starting at `at`; null when the data is truncated. */
function scanEnd(bytes: Buffer, at: number): number | null {
  let found = bytes.indexOf(0xff, at);
  while (found !== -1 && found + 1 < bytes.length) {
    const next = bytes[found + 1] as number;
    const isData = next === 0x00 || (next >= 0xd0 && next <= 0xd7);
    if (!isData && next !== 0xff) return found;
    found = bytes.indexOf(0xff, found + (isData ? 2 : 1));
  }
  return null;
}

function keeps(bytes: Buffer, block: Block): boolean {
  const marker = Number.parseInt(block.name, 16);
  if (marker === 0xfe) return false;
  if (marker < 0xe0 || marker > 0xef) return true;
  const beginning = KEPT_APPLICATION.get(marker);
  if (beginning === undefined || !startsWith(bytes, block, marker, beginning)) return false;
  return marker !== 0xe0 || block.end - block.start <= PLAIN_JFIF_BYTES;
}

function startsWith(bytes: Buffer, { name, start }: Block, marker: number, beginning: string): boolean {
  return (
    name === marker.toString(16) && bytes.toString('latin1', start + 4, start + 4 + beginning.length) === beginning
  );
}

function isRowOfJpegs(tail: Buffer): boolean {
  let rest = tail;
  while (rest.length > 0) {
    const begin = rest.findIndex((byte) => byte !== 0);
    if (begin === -1) return true;
    rest = rest.subarray(begin);
    const end = jpeg.begins(rest) ? blocks(rest)?.at(-1)?.end : undefined;
    if (end === undefined) return false;
    rest = rest.subarray(end);
  }
  return true;
}
