/** The project's own source files, for the tests that check them. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface SourceFile {
  /** Path from the root, with forward slashes. */
  readonly path: string;
  /** Top-level folder. */
  readonly room: string;
  readonly text: string;
  /** Its imports from the project itself, as paths from the root; type-only imports are marked. */
  readonly imports: readonly { readonly path: string; readonly typeOnly: boolean }[];
}

const ROOMS = [
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

function read(file: string): SourceFile {
  const text = readFileSync(file, 'utf8');
  const imports = [...text.matchAll(IMPORT)].map(([, typeOnly, target]) => ({
    path: path.posix.join(path.posix.dirname(file), target ?? ''),
    typeOnly: typeOnly !== undefined,
  }));
  return { path: file, room: file.split('/')[0] ?? '', text, imports };
}

/** Every TypeScript file of the product; tests, scripts and benches are excluded. */
export function sourceFiles(): SourceFile[] {
  return ROOMS.flatMap((room) => globSync(`${room}/**/*.ts`))
    .filter((file) => !file.startsWith('client/dist/'))
    .map((file) => read(file.replaceAll(path.sep, '/')))
    .toSorted((a, b) => a.path.localeCompare(b.path));
}
