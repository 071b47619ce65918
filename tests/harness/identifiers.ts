/** The identifiers of a TypeScript source, read from its syntax tree: words in strings and comments do not count. */
import { parseAst } from 'vitest/node';

/** Every distinct name in the source: of variables, parameters, functions, types and properties. */
export function identifiersOf(text: string, lang: 'ts' | 'tsx' = 'ts'): Set<string> {
  const names = new Set<string>();
  collect(parseAst(text, { lang }), names);
  return names;
}

/** Splits a name into lowercase words: `readBackMs` and `READ_BACK_MS` both give read, back and ms. */
export function wordsOfName(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

function collect(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const child of node) collect(child, names);
    return;
  }
  const { type, name } = node as { readonly type?: unknown; readonly name?: unknown };
  if ((type === 'Identifier' || type === 'PrivateIdentifier' || type === 'JSXIdentifier') && typeof name === 'string')
    names.add(name);
  for (const child of Object.values(node)) collect(child, names);
}
