/** The type of an image by its first bytes, for uploads whose type the caller does not name. */

/** The first bytes of each type that POST /media takes; a dot is any byte. */
const BEGINNINGS: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG\r\n[^]\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];

const BEGINNING_BYTES = 12;

/** @returns undefined for any other type */
export async function imageTypeOf(image: Blob): Promise<string | undefined> {
  const bytes = new Uint8Array(await image.slice(0, BEGINNING_BYTES).arrayBuffer());
  const text = String.fromCharCode(...bytes);
  return BEGINNINGS.find(([, beginning]) => beginning.test(text))?.[0];
}
