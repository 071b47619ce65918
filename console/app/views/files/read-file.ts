/** Reads a chosen file as text, and finds out whether the service takes it. */
import { bytesInWords } from '../../ui/sizes.ts';
import type { FileRequest } from './kept-file.ts';

/** The service takes no more. */
const CHARACTERS_MAX = 1_000_000;

export interface ReadFile {
  readonly name: string;
  readonly bytes: number;
  readonly content: string;
  readonly format: FileRequest['format'];
}

/** @returns why the file cannot be sent, or the file */
export async function readFile(file: File): Promise<ReadFile | string> {
  const tooLong = `${file.name} has ${bytesInWords(file.size)}. The service takes at most 1,000,000 characters; split the file.`;
  // A character takes at most four bytes.
  if (file.size > CHARACTERS_MAX * 4) return tooLong;
  let content: string;
  try {
    content = await file.text();
  } catch {
    return `${file.name} could not be read. Choose it again.`;
  }
  if (content.length > CHARACTERS_MAX) return tooLong;
  if (content.trim() === '') return `${file.name} is empty.`;
  const format = /^\uFEFF?\s*[[{]/.test(content) ? 'json' : 'csv';
  return { name: file.name, bytes: file.size, content, format };
}
