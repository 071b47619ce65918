/** Images for tests, made as they are needed. */
import sharp, { type Sharp } from 'sharp';

/** A picture that compresses badly, as photographs do; the same for the same arguments only in size. */
export function noise(width: number, height: number): Sharp {
  const grain = { type: 'gaussian' as const, mean: 128, sigma: 40 };
  return sharp({ create: { width, height, channels: 3, background: '#808080', noise: grain } });
}

/** A picture of one colour. */
export function plain(width: number, height: number, background = '#3366cc'): Sharp {
  return sharp({ create: { width, height, channels: 3, background } });
}

/** Left half red, right half blue: whoever turns it shows it. */
export function halves(width: number, height: number): Sharp {
  const blue = { create: { width: Math.floor(width / 2), height, channels: 3 as const, background: '#0000ff' } };
  return plain(width, height, '#ff0000').composite([{ input: blue, left: Math.ceil(width / 2), top: 0 }]);
}

/** Words that an image's metadata holds in these tests, the place among them as numbers. */
export const SECRET = 'Greenwich-Observatory';

/** Adds a place, a camera and words to an image. */
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

/** Whether a file holds nothing of what {@link withPlace} adds. */
export async function isBare(bytes: Uint8Array): Promise<boolean> {
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
