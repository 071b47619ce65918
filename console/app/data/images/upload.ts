/** Uploads image files: which ones the service takes, and the call. */
import { useEffect, useRef } from 'react';
import type { Api, Inputs, Outputs } from '../api-types.ts';
import { bytesInWords } from '../../ui/sizes.ts';

type ImageType = Inputs['media']['upload']['contentType'];

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const satisfies ImageType[];

/** Most characters of an alt text. */
export const ALT_TEXT_MAX = 1_000;

/** Largest image that the service takes. */
const FILE_MAX_BYTES = 8 * 1_024 * 1_024;

/** Why a file cannot be uploaded; null when it can. */
export function refusalOf({ type, size }: File): string | null {
  if (!IMAGE_TYPES.some((known) => known === type)) {
    return `This file is ${type === '' ? 'of an unknown type' : type}. Choose a PNG, JPEG, GIF or WebP image.`;
  }
  if (size <= FILE_MAX_BYTES) return null;
  return `This image has ${bytesInWords(size)}; the service takes at most ${bytesInWords(FILE_MAX_BYTES)}. Make it smaller.`;
}

export async function uploadImage(api: Api, file: File, altText = ''): Promise<Outputs['media']['upload']['media']> {
  const { media } = await api.media.upload.mutate({
    bytes: await base64Of(file),
    contentType: file.type as ImageType,
    ...(altText.trim() !== '' && { altText }),
  });
  return media;
}

/** Takes files that are pasted anywhere in the view, except the picture that office programs add to copied words. */
export function usePastedFiles(onFiles: (files: Iterable<File>) => void): void {
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const files = event.clipboardData?.files;
      if (event.defaultPrevented || files === undefined || files.length === 0 || isOfWords(event)) return;
      event.preventDefault();
      latest.current(files);
    };
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, []);
}

/** Whether a text field takes the words of what is pasted. Copied files and copied images come without the one or the other. */
function isOfWords({ clipboardData, target }: ClipboardEvent): boolean {
  if (!(target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement)) return false;
  return ['text/plain', 'text/html'].every((type) => clipboardData?.types.includes(type));
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^data:[^,]*,/, '')));
    reader.addEventListener('error', () => reject(new Error('the file could not be read', { cause: reader.error })));
    reader.readAsDataURL(file);
  });
}
