/** Writes the text of an answer, such as JSON. */
import type { ServerResponse } from 'node:http';

/**
 * Node writes at most 16 KiB of text at once from its stack, together with the headers; a longer text it copies to separate memory,
 * waits for the write, and collects that memory later. Several short writes take less time than one long write.
 */
const FIRST_PIECE = 14_000;
const PIECE = 16_000;

/** @param length bytes of the text */
export function endWithText(response: ServerResponse, text: string, length: number): void {
  // Text of ASCII alone needs no conversion, and can be cut anywhere.
  if (length !== text.length) return void response.end(text, 'utf8');
  let at = 0;
  for (let size = FIRST_PIECE; text.length - at > size; size = PIECE) {
    response.write(text.slice(at, at + size), 'latin1');
    at += size;
  }
  response.end(at === 0 ? text : text.slice(at), 'latin1');
}
