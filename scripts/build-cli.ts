/**
 * Builds the command line into cli/dist: one module for plain Node.js that contains what it needs, and the licenses of
 * what it contains.
 */
import { chmodSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { licensesOf, watchPackages } from './bundled-licenses.ts';

const ROOT = path.join(import.meta.dirname, '..');
const CLI = path.join(ROOT, 'cli');
const fresh = path.join(CLI, `.build-${process.pid}`);
const dist = path.join(CLI, 'dist');

try {
  const bundled = await bundle();
  writeFileSync(path.join(fresh, 'LICENSES.txt'), licensesOf(bundled));
  mkdirSync(dist, { recursive: true });
  // Each file is replaced in one step: tests build and read it at the same time.
  for (const file of ['carillon.js', 'LICENSES.txt']) renameSync(path.join(fresh, file), path.join(dist, file));
  cpSync(path.join(CLI, 'carillon.1'), path.join(dist, 'carillon.1'));
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

/** @returns the packages that the module contains */
async function bundle(): Promise<string[]> {
  const packages = watchPackages();
  await build({
    configFile: false,
    root: CLI,
    logLevel: 'warn',
    plugins: [
      {
        name: 'local-commands',
        enforce: 'pre',
        // These commands need the server's code, which the package does not have.
        load: (id) => (id.endsWith('/cli/local-commands.ts') ? 'export const LOCAL_COMMANDS = [];' : null),
      },
      packages.plugin,
    ],
    ssr: { noExternal: true },
    build: {
      ssr: path.join(CLI, 'carillon.ts'),
      outDir: fresh,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        output: { banner: '#!/usr/bin/env node', format: 'es', entryFileNames: 'carillon.js', codeSplitting: false },
      },
    },
  });
  chmodSync(path.join(fresh, 'carillon.js'), 0o755);
  return packages.names();
}
