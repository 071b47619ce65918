/**
 * Locates the real servers of tests/peers: scripts in a peers folder beside the repository, and packages installed into
 * `.cache/peers` on first use. The product does not depend on them.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const REPOSITORY = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * The packages that check calls and answers against the platforms' own descriptions, in a separate folder so that they
 * install alone.
 */
const ORACLE_MANIFEST = {
  name: 'carillon-oracle',
  private: true,
  type: 'module',
  dependencies: { express: '5.3.0', 'express-openapi-validator': '5.6.2' },
};

/** Pinned. The overrides keep the PDS on a SQLite addon that includes binaries for Node 26. */
const MANIFEST = {
  name: 'carillon-peers',
  private: true,
  type: 'module',
  dependencies: { '@atproto/api': '0.21.0', '@atproto/pds': '0.5.35', '@did-plc/server': '0.0.1' },
  overrides: { 'better-sqlite3': '13.2.0', '@atproto-labs/handle-resolver-node': '0.2.8' },
};

/** Working folder of the servers; ignored by git and kept between runs. */
export const PEERS_CACHE = join(REPOSITORY, '.cache/peers');

/** Working folder of the oracle. */
export const ORACLE_CACHE = join(PEERS_CACHE, 'oracle');

/** n8n’s library for nodes, which n8n provides to the nodes at run time. */
const N8N_MANIFEST = {
  name: 'carillon-n8n',
  private: true,
  dependencies: { 'n8n-workflow': '2.41.0' },
};

/** A relay of Nostr. The override has binaries for Node 26. */
const NOSTR_MANIFEST = {
  name: 'carillon-nostr',
  private: true,
  type: 'module',
  dependencies: {
    '@nostr-relay/core': '0.0.40',
    '@nostr-relay/event-repository-sqlite': '0.0.40',
    '@nostr-relay/validator': '0.0.40',
    ws: '8.23.0',
  },
  overrides: { 'better-sqlite3': '13.2.0' },
};

/** Working folder of the relay. */
export const NOSTR_CACHE = join(PEERS_CACHE, 'nostr');

/** Working folder of the nodes for n8n. */
export const N8N_CACHE = join(PEERS_CACHE, 'n8n');

/** A file of the peers folder, e.g. `bluesky/start-pds.mjs`; undefined, with the reason printed, when it is absent. */
export function peerScript(path: string): string | undefined {
  const folder = resolve(process.env['CARILLON_PEERS_DIR'] ?? join(REPOSITORY, '../shared/peers'));
  const script = join(folder, path);
  if (existsSync(script)) return script;
  console.log(`Skipped: there is no ${path} in the peers folder (CARILLON_PEERS_DIR).`);
  return undefined;
}

/** The script that starts snac; undefined, with the reason printed, if it cannot create a user for the server. */
export function snacScript(): string | undefined {
  const script = peerScript('mastodon/start-snac-debian.sh');
  if (script === undefined || process.getuid?.() === 0) return script;
  console.log('Skipped: only root can start snac as a separate user.');
  return undefined;
}

/** Installs the packages of the PDS into {@link PEERS_CACHE} unless this manifest is already installed there. */
export function ensurePeers(): Promise<void> {
  return install(PEERS_CACHE, MANIFEST, 'Installing the Bluesky PDS into .cache/peers (once, about 400 MB).');
}

/** Installs the packages of the oracle into {@link ORACLE_CACHE}, as {@link ensurePeers} does. */
export function ensureOracle(): Promise<void> {
  return install(ORACLE_CACHE, ORACLE_MANIFEST, 'Installing the oracle into .cache/peers/oracle (once, about 20 MB).');
}

/** Installs the packages of the relay into {@link NOSTR_CACHE}, as {@link ensurePeers} does. */
export function ensureNostrRelay(): Promise<void> {
  return install(
    NOSTR_CACHE,
    NOSTR_MANIFEST,
    'Installing a relay of Nostr into .cache/peers/nostr (once, about 40 MB).',
  );
}

/** Installs n8n’s library into {@link N8N_CACHE}, as {@link ensurePeers} does. */
export function ensureN8n(): Promise<void> {
  return install(N8N_CACHE, N8N_MANIFEST, 'Installing n8n’s library into .cache/peers/n8n (once, about 140 MB).');
}

async function install(folder: string, packages: object, announcement: string): Promise<void> {
  const manifest = `${JSON.stringify(packages, null, 2)}\n`;
  const installed = join(folder, 'node_modules/.installed');
  if (existsSync(installed) && (await readFile(installed, 'utf8')) === manifest) return;

  console.log(announcement);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), manifest);
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
  await writeFile(installed, manifest);
}
