/** The project's own source files, for the tests that check them. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface SourceFile {
  /** Path from the root, with forward slashes. */
  readonly path: string;
  /** Top-level folder. */
  readonly layer: string;
  readonly text: string;
  /** Its imports from the project itself, as paths from the root; type-only imports are marked. */
  readonly imports: readonly { readonly path: string; readonly typeOnly: boolean }[];
}

const LAYERS = [
  'cli',
  'client',
  'console',
  'entities',
  'errors',
  'jobs',
  'mcp',
  'platforms',
  'routers',
  'server',
  'services',
];

const IMPORT = /^(?:import|export)\s+(type\s)?[^;]*?from\s+'(\.[^']+)'/gm;

/** Imports without names, at run time or of a type: `import './a.ts'`, `await import('./a.ts')`. */
const OTHER_IMPORT = /\bimport\s*\(?\s*'(\.[^']+)'/g;

function read(file: string): SourceFile {
  const text = readFileSync(file, 'utf8');
  const fromHere = (target = '') => path.posix.join(path.posix.dirname(file), target);
  const imports = [
    ...[...text.matchAll(IMPORT)].map(([, type, target]) => ({ path: fromHere(target), typeOnly: type !== undefined })),
    ...[...text.matchAll(OTHER_IMPORT)].map(([, target]) => ({ path: fromHere(target), typeOnly: false })),
  ];
  return { path: file, layer: file.split('/')[0] ?? '', text, imports };
}

/** Every TypeScript file of the product; tests, scripts and benches are excluded. */
export function sourceFiles(): SourceFile[] {
  return LAYERS.flatMap((layer) => globSync(`${layer}/**/*.{ts,tsx}`))
    .filter((file) => !/^client\/(dist|\.build-)/.test(file))
    .map((file) => read(file.replaceAll(path.sep, '/')))
    .toSorted((a, b) => a.path.localeCompare(b.path));
}
