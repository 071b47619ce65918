/**
 * Builds the console into console/dist: hashed files, each also compressed with gzip and Brotli, and a manifest. The
 * finished build replaces the old one by a rename, so that a process that starts meanwhile reads either of them.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Manifest } from 'vite';
import { buildChatViews } from './build-chat-views.ts';
import { writeRecord } from '../server/build-record.js';
import { CONSOLE_DIST, hashSources } from '../server/built-console.js';
import { APP_ENTRY, consoleConfig, ROOT } from './console-vite.ts';

// Tests set another value, with which React is built for development.
process.env['NODE_ENV'] = 'production';
const begun = performance.now();
const dist = path.join(ROOT, CONSOLE_DIST);
const fresh = `${dist}.${process.pid}`;
const sources = hashSources(ROOT);
process.stderr.write('carillon: building the console\n');
try {
  await build({
    ...consoleConfig(),
    build: {
      outDir: fresh,
      assetsDir: 'files',
      manifest: 'manifest.json',
      target: 'es2023',
      // Every supported browser preloads modules without a polyfill.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      rolldownOptions: {
        input: path.join(ROOT, APP_ENTRY),
        // "use client" means nothing here.
        onLog: (level, log, pass) => log.code === 'MODULE_LEVEL_DIRECTIVE' || pass(level, log),
      },
    },
  });
  await compressAll(path.join(fresh, 'files'));
  const chatViews = await buildChatViews(path.join(fresh, 'chat'));
  writeRecord(fresh, { sources });
  replaceBuild();
  report(chatViews);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

async function compressAll(folder: string): Promise<void> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await Promise.all(
    readdirSync(folder).map(async (name) => {
      const file = path.join(folder, name);
      const bytes = readFileSync(file);
      const [zipped, brotli] = await Promise.all([
        promisify(gzip)(bytes, { level: 9 }),
        promisify(brotliCompress)(bytes, { params }),
      ]);
      writeFileSync(`${file}.gz`, zipped);
      writeFileSync(`${file}.br`, brotli);
    }),
  );
}

function replaceBuild(): void {
  const old = `${dist}.old.${process.pid}`;
  mkdirSync(path.dirname(dist), { recursive: true });
  try {
    renameSync(dist, old);
  } catch {
    // There was no build yet.
  }
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

/** One line: how long it took, and what the first view and the largest view load, compressed; views for chats are not. */
function report(chatViews: ReadonlyMap<string, number>): void {
  const manifest = JSON.parse(readFileSync(path.join(dist, 'manifest.json'), 'utf8')) as Manifest;
  const first = scriptsOf(manifest, APP_ENTRY);
  const views = Object.keys(manifest).filter((name) => name.endsWith('-view.tsx'));
  const sizes = views.map((name) => ({
    name: path.basename(name).replace(/-view\.tsx$/, ''),
    bytes: bytesOf([...new Set([...first, ...scriptsOf(manifest, name)])]),
  }));
  const parts = sizes.toSorted((a, b) => b.bytes - a.bytes).map(({ name, bytes }) => `${name} ${kilobytes(bytes)}`);
  const inChats = [...chatViews].map(([name, bytes]) => `${name} ${kilobytes(bytes)}`);
  process.stderr.write(
    `carillon: built the console in ${((performance.now() - begun) / 1000).toFixed(1)} s; script, compressed: frame ${kilobytes(bytesOf(first))}; with a view: ${parts.join(', ')}; whole views for chats: ${inChats.join(', ')}\n`,
  );
}

/** The script files that an entry of the manifest loads at once. */
function scriptsOf(manifest: Manifest, name: string, seen = new Set<string>()): string[] {
  const chunk = manifest[name];
  if (chunk === undefined || seen.has(name)) return [];
  seen.add(name);
  return [chunk.file, ...(chunk.imports ?? []).flatMap((imported) => scriptsOf(manifest, imported, seen))];
}

function bytesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + readFileSync(path.join(dist, `${file}.br`)).length, 0);
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} KB`;
}
