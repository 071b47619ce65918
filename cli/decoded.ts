/** Text from bytes, none of which is replaced by another one. */
import { CommandError } from './failure.ts';

/**
 * @param source names the bytes in the error, such as their file
 * @throws CommandError when they are not in UTF-8
 */
export function decoded(bytes: Uint8Array, source: string, hint?: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError('failed', `${source} is not in UTF-8.`, hint);
  }
}
