/** Builds the message of a post: subject, plain text, and HTML with the images. Pure. */
import type { OutgoingImage } from '../contract.ts';
import type { MailImage } from '../mail.ts';
import { graphemesOf } from '../text.ts';

/** Characters that mail clients show of a subject (RFC 5322 recommends at most 78 on a line). */
export const SUBJECT_MAX = 78;

/** Returns the first non-empty line of a text, cut between graphemes. */
export function subjectOf(text: string): string {
  const first = text.split(/[\r\n\u2028\u2029]+/).find((line) => line.trim() !== '') ?? '';
  const line = first.replace(/\p{Cc}+/gu, ' ').trim();
  const characters = Array.from(graphemesOf(line), ({ segment }) => segment);
  if (characters.length <= SUBJECT_MAX) return characters.join('');
  return `${characters
    .slice(0, SUBJECT_MAX - 1)
    .join('')
    .trimEnd()}…`;
}

/** @param token makes the content ids of the images unique */
export function htmlOf(text: string, images: readonly OutgoingImage[], token: string): string {
  const paragraphs = text
    .replace(/\r\n?/g, '\n')
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br>\n')}</p>`);
  const pictures = images.map(
    ({ altText, width, height }, index) =>
      `<p><img src="cid:${cidOf(token, index)}" alt="${escaped(altText)}" width="${width}" height="${height}" style="max-width:100%;height:auto"></p>`,
  );
  return `<!DOCTYPE html>\n<html><head><meta charset="utf-8"></head><body>\n${[...paragraphs, ...pictures].join('\n')}\n</body></html>\n`;
}

/** The images as attachments of the message. */
export function inlineImages(images: readonly OutgoingImage[], token: string): MailImage[] {
  return images.map(({ bytes, contentType }, index) => ({
    cid: cidOf(token, index),
    filename: `image-${index + 1}.${contentType.replace('image/', '')}`,
    contentType,
    bytes,
  }));
}

function cidOf(token: string, index: number): string {
  return `${token}.${index + 1}@images`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
