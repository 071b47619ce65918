/** Turns a TypeScript module into one that browsers run: types become blanks, `./x.ts` becomes `./x.js`. */
import { stripTypeScriptTypes } from 'node:module';

/** The end of an import or re-export of a neighbouring file. */
const NEIGHBOUR = /(\bfrom\s+'\.\/[\w-]+)\.ts(?=')/g;

/** @param source a module with erasable types only */
export function toBrowserModule(source: string): string {
  return quietly(() => stripTypeScriptTypes(source)).replace(NEIGHBOUR, '$1.js');
}

// Node calls the function experimental at its first use; an operator can do nothing about that.
function quietly<Result>(work: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
