/** Checks percent-encoded text. Decoders replace or keep bytes that are not UTF-8, and the damaged text would be stored. */
import { isUtf8 } from 'node:buffer';

const ESCAPES = /(?:%[0-9a-f]{2})+/gi;

/** Whether the percent-encoded bytes of a query or form are UTF-8. A percent sign without two hexadecimal digits stays one. */
export function isPercentEncodedUtf8(text: string): boolean {
  return (text.match(ESCAPES) ?? []).every((run) => isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex')));
}
