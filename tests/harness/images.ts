/** Images for tests, generated on demand. */
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** A picture that compresses badly, as photographs do. The same arguments give the same size only. */
export function noise(width: number, height: number): Sharp {
  const grain = { type: 'gaussian' as const, mean: 128, sigma: 40 };
  return sharp({ create: { width, height, channels: 3, background: '#808080', noise: grain } });
}

/** A picture of one colour. */
export function plain(width: number, height: number, background = '#3366cc'): Sharp {
  return sharp({ create: { width, height, channels: 3, background } });
}

/** Left half red, right half blue, so that a rotation is visible. */
export function halves(width: number, height: number): Sharp {
  const blue = { create: { width: Math.floor(width / 2), height, channels: 3 as const, background: '#0000ff' } };
  return plain(width, height, '#ff0000').composite([{ input: blue, left: Math.ceil(width / 2), top: 0 }]);
}

/** Words in the metadata of a test image, with its location as numbers. */
export const SECRET = 'Greenwich-Observatory';

/** Adds a location, a camera and words to an image. */
export function withPlace(image: Sharp): Sharp {
  return image
    .withExif({
      IFD0: { Make: 'Camera', ImageDescription: SECRET },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 28/1 40/1', GPSLongitudeRef: 'W', GPSLongitude: '0/1 0/1 5/1' },
    })
    .withXmp(
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description>${SECRET}</rdf:Description></rdf:RDF></x:xmpmeta>`,
    );
}

/** An animation of `frames` pictures of different colours. */
export async function animation(frames: number, width = 20, height = 10): Promise<Sharp> {
  const colours = Array.from({ length: frames }, (_, index) => `hsl(${(index * 47) % 360}, 80%, 50%)`);
  const pictures = await Promise.all(colours.map((colour) => plain(width, height, colour).png().toBuffer()));
  return sharp(pictures, { join: { animated: true } });
}

/** Whether a file contains nothing that {@link withPlace} adds. */
export async function hasNoMetadata(bytes: Uint8Array): Promise<boolean> {
  const { exif, xmp, iptc, orientation } = await sharp(bytes).metadata();
  const isSilent = !Buffer.from(bytes).includes(SECRET);
  return isSilent && exif === undefined && xmp === undefined && iptc === undefined && orientation === undefined;
}

/** The colour of a pixel, as red, green and blue. */
export async function colourAt(bytes: Uint8Array, left: number, top: number): Promise<number[]> {
  const pixel = await sharp(bytes)
    .extract({ left, top, width: 1, height: 1 })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  return [...pixel];
}

/**
 * A progressive JPEG in grey with any number of scans up to 883. Each is valid, has a few dozen bytes, and makes the
 * decoder process the whole picture.
 */
export function manyScans(width: number, height: number, scans: number): Buffer {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const frame = [8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0];
  const header = [
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, [0, ...Array<number>(64).fill(1)]),
    segment(0xc2, frame),
    // A Huffman table with one code each: «no difference» and «end of the next 32,766 blocks».
    segment(0xc4, [0x00, 1, ...Array<number>(15).fill(0), 0x00]),
    segment(0xc4, [0x10, 1, ...Array<number>(15).fill(0), 0xe0]),
    segment(0xda, [1, 1, 0x00, 0, 0, 0x00]),
    Buffer.alloc(Math.ceil(blocks / 8)),
  ];
  const empty = emptyScan(blocks);
  const further = Array.from({ length: scans - 1 }, (_, index) => {
    const [bit, coefficient] = [13 - Math.floor(index / 63), 1 + (index % 63)];
    const approximation = ((bit === 13 ? 0 : bit + 1) << 4) | bit;
    return Buffer.concat([segment(0xda, [1, 1, 0x00, coefficient, coefficient, approximation]), empty]);
  });
  return Buffer.concat([...header, ...further, Buffer.from([0xff, 0xd9])]);
}

function segment(marker: number, content: readonly number[]): Buffer {
  const length = content.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...content]);
}

function emptyScan(blocks: number): Buffer {
  // The code from the table, then 14 bits that extend the run.
  const run = '011111111111110';
  const bits = run.repeat(Math.ceil(blocks / 32_766));
  const bytes = bits.match(/.{1,8}/g)!.map((byte) => Number.parseInt(byte.padEnd(8, '1'), 2));
  return Buffer.from(bytes.flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte])));
}

/** A PNG that contains compressed text chunks, which no viewer shows. */
export async function withPackedTexts(count: number, unpackedBytes: number): Promise<Buffer> {
  const bytes = await plain(8, 8).png().toBuffer();
  const text = pngChunk(
    'zTXt',
    Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(unpackedBytes))]),
  );
  const end = bytes.length - 12;
  return Buffer.concat([bytes.subarray(0, end), ...Array<Buffer>(count).fill(text), bytes.subarray(end)]);
}

function pngChunk(name: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
