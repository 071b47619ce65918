/** What Node.js 20.12, the oldest that the package `carillon` supports, does not have. */

/** Static methods. */
export const NEWER_STATICS: readonly string[] = [
  'Promise.withResolvers',
  'Promise.try',
  'Array.fromAsync',
  'Object.groupBy',
  'Map.groupBy',
  'Iterator.from',
  'Iterator.concat',
  'RegExp.escape',
  'Error.isError',
  'Math.f16round',
  'Math.sumPrecise',
  'JSON.rawJSON',
  'JSON.isRawJSON',
  'Intl.DurationFormat',
  'Uint8Array.fromBase64',
  'Uint8Array.fromHex',
  'URL.parse',
  'process.getBuiltinModule',
];

export const NEWER_GLOBALS: readonly string[] = [
  'Temporal',
  'Float16Array',
  'DisposableStack',
  'AsyncDisposableStack',
  'SuppressedError',
  'CloseEvent',
  'EventSource',
  'URLPattern',
  'WebSocket',
  'navigator',
];

/** Methods whose names no older object has. */
export const NEWER_METHODS: readonly string[] = [
  'Set.prototype.union',
  'Set.prototype.intersection',
  'Set.prototype.difference',
  'Set.prototype.symmetricDifference',
  'Set.prototype.isSubsetOf',
  'Set.prototype.isSupersetOf',
  'Set.prototype.isDisjointFrom',
  'Iterator.prototype.toArray',
  'Map.prototype.getOrInsert',
  'Map.prototype.getOrInsertComputed',
  'WeakMap.prototype.getOrInsert',
  'WeakMap.prototype.getOrInsertComputed',
  'ArrayBuffer.prototype.transfer',
  'ArrayBuffer.prototype.transferToFixedLength',
  'Uint8Array.prototype.toBase64',
  'Uint8Array.prototype.toHex',
  'Uint8Array.prototype.setFromBase64',
  'Uint8Array.prototype.setFromHex',
];

/** Methods that arrays and other objects have too, so that only a run tells which one is called. */
export const NEWER_METHODS_WITH_OLDER_NAMES: readonly string[] = [
  'Response.prototype.bytes',
  'Request.prototype.bytes',
  'Blob.prototype.bytes',
  'Iterator.prototype.map',
  'Iterator.prototype.filter',
  'Iterator.prototype.take',
  'Iterator.prototype.drop',
  'Iterator.prototype.flatMap',
  'Iterator.prototype.reduce',
  'Iterator.prototype.forEach',
  'Iterator.prototype.some',
  'Iterator.prototype.every',
  'Iterator.prototype.find',
];

const FORMS: readonly (readonly [api: string, form: RegExp])[] = [
  ...NEWER_STATICS.map((api) => [api, new RegExp(`\\b${api.replace('.', '\\.')}\\b`)] as const),
  ...NEWER_GLOBALS.map((api) => [api, new RegExp(`(?<![.\\w])${api}[.(]`)] as const),
  ...NEWER_METHODS.map((api) => [api, new RegExp(`\\.${api.split('.').at(-1)}\\(`)] as const),
  ['a method of an iterator', /\.(values|keys|entries)\(\)\.(?!next\b)\w+\(/],
  ['a using declaration', /^\s*(await )?using \w+ =/],
  ['flags within a regular expression', /\(\?[ims]*-?[ims]+:/],
];

/** The uses in a program, one for each line, without lines that ask whether there is such an API. */
export function usesOfNewerApis(program: string): string[] {
  const lines = program.split('\n').filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));
  return lines.flatMap((line) =>
    FORMS.filter(([api, form]) => form.test(line) && !asks(line, api)).map(([api]) => api),
  );
}

function asks(line: string, api: string): boolean {
  return [`${api} ?`, `typeof ${api}`, `if (${api})`].some((question) => line.includes(question));
}
