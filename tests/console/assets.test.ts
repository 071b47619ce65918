/** The assets of server-rendered pages: types, caching, and TypeScript compiled for browsers. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ConnectFields } from '../../console/connect-fields.ts';
import { toBrowserModule } from '../../console/browser-module.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();
const ASSETS = join(import.meta.dirname, '../../console/assets');
const modules = (await readdir(join(ASSETS, 'scripts')))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replace('.ts', '.js'));
const files = (await readdir(ASSETS)).filter((name) => /\.(css|svg)$/.test(name));

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${world.url}/assets${path}`, { headers });
}

describe('the browser code', () => {
  it('is JavaScript without type annotations', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'carillon-assets-'));
    const check = promisify(execFile);

    try {
      const failures = await Promise.all(
        modules.map(async (name) => {
          const file = join(folder, name.replace('.js', '.mjs'));
          await writeFile(file, await (await get(`/scripts/${name}`)).text());
          return check(process.execPath, ['--check', file]).then(() => null, String);
        }),
      );
      expect(failures.filter((failure) => failure !== null)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('writes no markup, evaluates no code, stores nothing beyond the tab and names no other site', async () => {
    const sources = await Promise.all(modules.map(async (name) => (await get(`/scripts/${name}`)).text()));
    const code = sources.join('\n').replace(/\/\*\*[^]*?\*\/|\/\/ .*/g, '');

    expect(
      code.match(/innerHTML|outerHTML|insertAdjacent|document\.write|srcdoc|DOMParser|\beval\b|new Function/g),
    ).toBeNull();
    expect(code.match(/localStorage|indexedDB|document\.cookie|sendBeacon|WebSocket|EventSource/g)).toBeNull();
    expect(code.match(/(?:https?|wss?):\/\/[^\s'"`]*/g)).toBeNull();
  });

  it('disables every feature of the API reference that reaches another site', async () => {
    const source = await (await get('/scripts/reference.js')).text();

    for (const setting of [
      "proxyUrl: ''",
      'telemetry: false',
      'withDefaultFonts: false',
      'persistAuth: false',
      'hideClientButton: true',
      "showDeveloperTools: 'never'",
      'agent: { disabled: true',
      'mcp: { disabled: true',
    ]) {
      expect(source).toContain(setting);
    }
  });
});

describe('type stripping', () => {
  it('drops types, keeps positions and rewrites imports to the served files', () => {
    const source =
      "import type { A } from './a.ts';\nimport { type B, c } from './c-d.ts';\nexport const e: A = c as B;\n";

    const made = toBrowserModule(source);

    expect(made.split('\n').map((line) => line.trimEnd())).toEqual([
      '',
      "import {         c } from './c-d.js';",
      'export const e    = c     ;',
      '',
    ]);
  });

  it('leaves strings unchanged that only look like file names', () => {
    expect(toBrowserModule("const a = './b.ts'; // from x.ts\n")).toBe("const a = './b.ts'; // from x.ts\n");
  });

  it('does not suppress other warnings', () => {
    const { emitWarning } = process;

    toBrowserModule('const a: number = 1;');

    expect(process.emitWarning).toBe(emitWarning);
  });
});

describe('stylesheets and pictures', () => {
  it.each(files)('%s loads no external resource', async (name) => {
    const text = await readFile(join(ASSETS, name), 'utf8');

    expect(
      text.replace('http://www.w3.org/2000/svg', '').match(/url\(|@import|https?:|<script|<style|\sstyle=|\son\w+=/g),
    ).toBeNull();
  });
});

describe('the fields of platforms', () => {
  it('are named for people, and hide typed passwords, tokens and secret addresses', async () => {
    const platforms = (await (await get('/connect-fields.json')).json()) as readonly ConnectFields[];

    const fields = platforms.flatMap(({ platformId, fields: own }) =>
      own.map(({ name, label, hint, kind }) => ({ field: `${platformId}.${name}`, label, hint, kind })),
    );
    expect(fields.filter(({ label, hint }) => label === '' || hint === '')).toEqual([]);
    expect(fields.map(({ field }) => field)).toEqual([
      'bluesky.identifier',
      'bluesky.appPassword',
      'bluesky.service',
      'mastodon.instanceUrl',
      'mastodon.accessToken',
      'linkedin.accessToken',
      'linkedin.refreshToken',
      'linkedin.expiresAt',
      'linkedin.organizationId',
      'facebook.pageId',
      'facebook.accessToken',
      'instagram.userId',
      'instagram.accessToken',
      'threads.accessToken',
      'threads.refreshToken',
      'threads.expiresAt',
      'nostr.secretKey',
      'nostr.relays',
      'x.accessToken',
      'x.refreshToken',
      'x.expiresAt',
      'reddit.accessToken',
      'reddit.refreshToken',
      'reddit.expiresAt',
      'reddit.subreddit',
      'telegram.botToken',
      'telegram.chatId',
      'discord.webhookUrl',
      'slack.botToken',
      'slack.channelId',
    ]);
    expect(fields.filter(({ kind }) => kind === 'secret').map(({ field }) => field)).toEqual([
      'bluesky.appPassword',
      'mastodon.accessToken',
      'linkedin.accessToken',
      'linkedin.refreshToken',
      'facebook.accessToken',
      'instagram.accessToken',
      'threads.accessToken',
      'threads.refreshToken',
      'nostr.secretKey',
      'x.accessToken',
      'x.refreshToken',
      'reddit.accessToken',
      'reddit.refreshToken',
      'telegram.botToken',
      'discord.webhookUrl',
      'slack.botToken',
    ]);
  });
});

describe('delivery', () => {
  it.each([...files.map((name) => `/${name}`), '/scripts/passkeys.js', '/connect-fields.json', '/scalar.js'])(
    '%s is revalidated and not sent again',
    async (path) => {
      const first = await get(path);
      const etag = first.headers.get('etag') ?? '';
      await first.arrayBuffer();

      // Node's fetch requests a fresh copy by default, unless it gets other options.
      const kept = { 'cache-control': 'max-age=0' };
      const again = await get(path, { ...kept, 'if-none-match': etag });
      const changed = await get(path, { ...kept, 'if-none-match': '"other"' });

      expect(first.status).toBe(200);
      expect(etag).toMatch(/^"[\w-]{22}-gzip"$/);
      expect(first.headers.get('cache-control')).toBe('no-cache');
      expect(first.headers.get('x-content-type-options')).toBe('nosniff');
      expect([again.status, (await again.arrayBuffer()).byteLength, changed.status]).toEqual([304, 0, 200]);
    },
  );

  it('sends uncompressed bytes, with another ETag, to clients that do not accept gzip', async () => {
    const zipped = await get('/carillon.css', { 'accept-encoding': 'gzip' });
    const plain = await get('/carillon.css', { 'accept-encoding': 'identity' });

    expect([zipped.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null]);
    expect(zipped.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    expect(plain.headers.get('vary')).toBe('accept-encoding');
    expect(await zipped.text()).toBe(await plain.text());
  });

  it.each([
    '/../pages.ts',
    '/..%2fpages.ts',
    '/scripts/passkeys.ts',
    '/scripts/tsconfig.json',
    '/scripts/',
    '/app/manifest.json',
    '/app/sources.json',
    '/nothing.css',
    '/%00',
  ])('answers 404 for %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});
