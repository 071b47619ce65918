/** Converts a TypeScript module for browsers: types become blanks, `./x.ts` becomes `./x.js`. */
import { stripTypeScriptTypes } from 'node:module';

/** Matches the end of an import or re-export of a relative file. */
const NEIGHBOUR = /(\bfrom\s+'\.\/[\w-]+)\.ts(?=')/g;

/** @param source a module with erasable types only */
export function toBrowserModule(source: string): string {
  return quietly(() => stripTypeScriptTypes(source)).replace(NEIGHBOUR, '$1.js');
}

// On first use, Node warns that the function is experimental; operators cannot act on that.
function quietly<Result>(work: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
