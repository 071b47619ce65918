/**
 * Builds the package `carillon-client` into client/dist: two modules that contain what they need, their type declarations, and the
 * licenses of both. The finished build replaces the old one.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { clientTypes } from './client-types.ts';

const ROOT = path.join(import.meta.dirname, '..');
const CLIENT = path.join(ROOT, 'client');
const fresh = path.join(CLIENT, `.build-${process.pid}`);
const sources = path.join(fresh, 'sources');
const declarations = path.join(fresh, 'declarations');
const made = path.join(fresh, 'dist');

/** The modules of the package. */
const ENTRIES = ['index', 'react-query'];

try {
  copySources();
  await bundle();
  declare();
  writeFileSync(path.join(made, 'LICENSES.txt'), licenses());
  replaceBuild();
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

/** The sources, with the types of the API written out instead of inferred from the service. */
function copySources(): void {
  mkdirSync(sources, { recursive: true });
  for (const file of globSync('*.ts', { cwd: CLIENT })) cpSync(path.join(CLIENT, file), path.join(sources, file));
  writeFileSync(path.join(sources, 'api-types.ts'), clientTypes());
}

async function bundle(): Promise<void> {
  await build({
    configFile: false,
    root: sources,
    logLevel: 'warn',
    build: {
      outDir: made,
      emptyOutDir: false,
      target: 'es2022',
      // Readers of a stack trace see our names; the build of a page minifies it.
      minify: false,
      lib: { entry: ENTRIES.map((name) => path.join(sources, `${name}.ts`)), formats: ['es'] },
      rolldownOptions: { external: ['@trpc/tanstack-react-query'] },
    },
  });
}

function declare(): void {
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: sources,
    outDir: declarations,
    paths: {},
  };
  const project = path.join(sources, 'tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({ extends: path.join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] }),
  );
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-p', project], { stdio: 'inherit' });
  const wanted = new Set<string>();
  for (const entry of ENTRIES) addDeclaration(entry, wanted);
}

/** Copies a declaration and those that it imports, of which bundling left nothing in the modules. */
function addDeclaration(name: string, added: Set<string>): void {
  if (added.has(name)) return;
  added.add(name);
  const text = readFileSync(path.join(declarations, `${name}.d.ts`), 'utf8');
  for (const [, imported = ''] of text.matchAll(/from '\.\/([\w-]+)\.ts'/g)) addDeclaration(imported, added);
  writeFileSync(path.join(made, `${name}.d.ts`), text.replaceAll(/from '(\.\/[\w-]+)\.ts'/g, "from '$1.js'"));
}

function licenses(): string {
  const bundled = ['@trpc/client', '@trpc/server'].map((name) => {
    const text = readFileSync(path.join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8').trim();
    return `This package contains parts of ${name}:\n\n${text}\n`;
  });
  return [readFileSync(path.join(ROOT, 'LICENSE'), 'utf8'), ...bundled].join(`\n${'-'.repeat(80)}\n\n`);
}

function replaceBuild(): void {
  const dist = path.join(CLIENT, 'dist');
  mkdirSync(dist, { recursive: true });
  const files = readdirSync(made);
  // Each file is replaced in one step: tests build and read it at the same time.
  for (const file of files) renameSync(path.join(made, file), path.join(dist, file));
  for (const file of readdirSync(dist)) if (!files.includes(file)) rmSync(path.join(dist, file), { recursive: true });
}
