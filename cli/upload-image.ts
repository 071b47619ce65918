/** Uploads an image file for a post or for later. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Call } from './command.ts';
import { CommandError } from './failure.ts';
import { UsageError } from './operator-client.ts';
import { repeatCall } from './repeat-call.ts';
import type { Client } from './signed-in.ts';

const TYPES = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
} as const;

/** An image file that was read. */
export interface ImageFile {
  readonly file: string;
  readonly contentType: (typeof TYPES)[keyof typeof TYPES];
  readonly bytes: string;
}

/** Reads image files, so that a wrong name is found before anything is uploaded. @throws UsageError, CommandError */
export function readImages(files: readonly string[]): Promise<ImageFile[]> {
  return Promise.all(files.map(readImage));
}

async function readImage(file: string): Promise<ImageFile> {
  const ending = path.extname(file).toLowerCase();
  if (!Object.hasOwn(TYPES, ending)) throw new UsageError(`${file}: expected a .png, .jpg, .gif or .webp file.`);
  const bytes = await readFile(file, 'base64').catch((error: Error) => {
    throw new CommandError('failed', `${file} cannot be read (${error.message}).`);
  });
  return { file, contentType: TYPES[ending as keyof typeof TYPES], bytes };
}

/** Uploads images, one after the other, and gives each when it is stored. */
export async function* uploadImages(
  call: Call,
  client: Client,
  images: readonly ImageFile[],
  altTexts: readonly string[],
) {
  for (const [index, { file, ...image }] of images.entries()) {
    call.report(`Uploading ${file} (${index + 1} of ${images.length})`);
    const altText = altTexts[index];
    const input = { ...image, ...(altText === undefined ? {} : { altText }) };
    // Without an answer the image may be stored, and each upload is a new one.
    const { media } = await repeatCall(call, () => client.media.upload.mutate(input), ['limited']);
    yield media;
  }
}

/** @throws UsageError when there are more alt texts than images */
export function checkAltTexts(images: readonly string[], altTexts: readonly string[]): void {
  if (altTexts.length > images.length) {
    throw new UsageError(
      `There are ${altTexts.length} alt texts for ${images.length} images. The first --alt is for the first image.`,
    );
  }
}
