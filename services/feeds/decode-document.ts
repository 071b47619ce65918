/** Decodes the bytes of an XML document (RFC 7303 section 3, XML 1.0 appendix F). Pure. */

/** First bytes that only one encoding has: its byte order mark, or its `<`. They count more than any label. */
const BEGINNINGS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0x3c, 0x00]],
  ['utf-16be', [0x00, 0x3c]],
];

/** Programs that write a document as text declare UTF-16, and send it as UTF-8. UTF-16 is known by its first bytes. */
const UTF_16 = /^(?:utf-?16|ucs-?2|iso-10646-ucs-2|unicode)/i;

/** Bytes that are read of the declaration. */
const DECLARATION_MAX = 200;

/** By the first bytes, the header, and the declaration of the document. Anything unknown is read as UTF-8. */
export function decodeDocument(bytes: Uint8Array, contentType: string | null): string {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, DECLARATION_MAX));
  const known = BEGINNINGS.find(([, beginning]) => beginning.every((byte, index) => bytes[index] === byte))?.[0];
  const named = /charset\s*=\s*["']?([\w-]+)/i.exec(contentType ?? '')?.[1];
  const declared = /^[^<]*<\?xml[^>]*encoding\s*=\s*["']([\w-]+)/i.exec(start)?.[1];
  const labels = [named, declared].filter((label) => label !== undefined && !UTF_16.test(label));
  const decoder = [known, ...labels].map(decoderOf).find((one) => one !== null) ?? new TextDecoder();
  return decoder.decode(bytes);
}

function decoderOf(label: string | undefined): TextDecoder | null {
  try {
    return label === undefined ? null : new TextDecoder(label);
  } catch {
    return null;
  }
}
