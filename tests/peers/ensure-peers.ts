/**
 * Where the real servers of tests/peers come from: scripts in a peers folder beside the repository, and
 * packages installed into `.cache/peers` on first use, so that none of their weight is the product's.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const REPOSITORY = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Pinned; the overrides keep the PDS on a SQLite addon that brings its own binaries for Node 26. */
const MANIFEST = {
  name: 'carillon-peers',
  private: true,
  type: 'module',
  dependencies: { '@atproto/api': '0.21.0', '@atproto/pds': '0.5.35', '@did-plc/server': '0.0.1' },
  overrides: { 'better-sqlite3': '13.2.0', '@atproto-labs/handle-resolver-node': '0.2.8' },
};

/** Folder that the servers run in; ignored by git and kept between runs. */
export const PEERS_CACHE = join(REPOSITORY, '.cache/peers');

/** A script of the peers folder, e.g. `bluesky/start-pds.mjs`; undefined, with the reason printed, when it is absent. */
export function peerScript(path: string): string | undefined {
  const folder = resolve(process.env['CARILLON_PEERS_DIR'] ?? join(REPOSITORY, '../shared/peers'));
  const script = join(folder, path);
  if (existsSync(script)) return script;
  console.log(`Skipped: there is no ${path} in the peers folder (CARILLON_PEERS_DIR).`);
  return undefined;
}

/** Installs the packages of the PDS into {@link PEERS_CACHE} unless this very manifest is installed there already. */
export async function ensurePeers(): Promise<void> {
  const manifest = `${JSON.stringify(MANIFEST, null, 2)}\n`;
  const installed = join(PEERS_CACHE, 'node_modules/.installed');
  if (existsSync(installed) && (await readFile(installed, 'utf8')) === manifest) return;

  console.log('Installing the Bluesky PDS into .cache/peers (once, about 400 MB).');
  await mkdir(PEERS_CACHE, { recursive: true });
  await writeFile(join(PEERS_CACHE, 'package.json'), manifest);
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: PEERS_CACHE });
  await writeFile(installed, manifest);
}
