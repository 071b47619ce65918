/**
 * Serves the built console app: hashed files that browsers keep for ever, compressed ahead. All of them are held in memory,
 * so that a running process keeps its version while a new one is built.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { RequestHandler } from 'express';
import { CONTENT_TYPES, setStaticHeaders } from './static-headers.ts';

interface AppFile {
  readonly contentType: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  readonly brotli: Buffer;
}

/** What the page loads at once. */
export interface AppEntry {
  readonly script: string;
  readonly styles: readonly string[];
  /** Modules that the script imports. */
  readonly modules: readonly string[];
}

interface AppBuild {
  readonly entry: AppEntry;
  /** By path below {@link APP_BASE}. */
  readonly files: ReadonlyMap<string, AppFile>;
}

interface ManifestChunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** Where the files are served. */
const APP_BASE = '/assets/app';

const DIST = join(import.meta.dirname, 'dist');

let loaded: AppBuild | null | undefined;

/** The build; null when there is none, because only `npm start` and the tests make it. */
function appBuild(): AppBuild | null {
  loaded ??= readBuild();
  return loaded;
}

/** What the page loads; null when the console is not built. */
export function appEntry(): AppEntry | null {
  return appBuild()?.entry ?? null;
}

function readBuild(): AppBuild | null {
  let manifest: Record<string, ManifestChunk>;
  try {
    manifest = JSON.parse(readFileSync(join(DIST, 'manifest.json'), 'utf8')) as typeof manifest;
  } catch {
    return null;
  }
  const read = (name: string) => readFileSync(join(DIST, 'files', name));
  const names = readdirSync(join(DIST, 'files')).filter((name) => !/\.(gz|br)$/.test(name));
  const files = names.map((name): [string, AppFile] => [
    `/files/${name}`,
    {
      contentType: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
      body: read(name),
      gzipped: read(`${name}.gz`),
      brotli: read(`${name}.br`),
    },
  ]);
  return { entry: entryOf(manifest), files: new Map(files) };
}

function entryOf(manifest: Readonly<Record<string, ManifestChunk>>): AppEntry {
  const chunks = new Set<ManifestChunk>();
  const add = (chunk: ManifestChunk | undefined) => {
    if (chunk === undefined || chunks.has(chunk)) return;
    chunks.add(chunk);
    for (const imported of chunk.imports ?? []) add(manifest[imported]);
  };
  add(Object.values(manifest).find(({ isEntry }) => isEntry));
  const [first, ...others] = [...chunks].map(({ file }) => `${APP_BASE}/${file}`);
  const styles = [...chunks].flatMap(({ css }) => css ?? []).map((file) => `${APP_BASE}/${file}`);
  return { script: first ?? '', modules: others, styles };
}

/** Serves existing files and passes other requests on. Mounted at /assets/app. */
export function serveAppFiles(): RequestHandler {
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    const file = appBuild()?.files.get(request.path);
    if (file === undefined) return next();
    const encoding = request.acceptsEncodings('br', 'gzip');
    setStaticHeaders(response, file.contentType);
    // The name has a hash of the content, so another content has another name.
    response.setHeader('cache-control', 'public, max-age=31536000, immutable');
    if (encoding !== false) response.setHeader('content-encoding', encoding);
    response.send(encoding === 'br' ? file.brotli : encoding === 'gzip' ? file.gzipped : file.body);
  };
}
