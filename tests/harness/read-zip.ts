/** Reads the files of a ZIP archive by its central directory (APPNOTE 4.3.12), and checks their checksums. */
import { crc32, inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const FILE = 0x02014b50;
const DEFLATED = 8;

/** @throws Error for what is no complete archive */
export function readZip(bytes: Buffer): Map<string, Buffer> {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end === -1 || bytes.readUInt32LE(end) !== END) throw new Error('the archive has no end');
  const files = new Map<string, Buffer>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (bytes.readUInt32LE(at) !== FILE) throw new Error(`there is no file at ${at}`);
    const [method, checksum, size] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 16),
      bytes.readUInt32LE(at + 20),
    ];
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const name = bytes.toString('utf8', at + 46, at + 46 + Number(nameLength));
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const stored = bytes.subarray(start, start + size);
    const content = method === DEFLATED ? inflateRawSync(stored) : Buffer.from(stored);
    if (crc32(content) !== checksum) throw new Error(`${name} has another checksum`);
    files.set(name, content);
    at += 46 + Number(nameLength) + Number(extraLength) + Number(commentLength);
  }
  return files;
}
