/**
 * Serves the static files of server-rendered pages under /assets: the files of console/assets, the browser code of its
 * folder scripts with the types stripped, the API reference's script, and the fields that platforms ask for. They are read at
 * the start, so that all are of one version, and made and compressed when each is first asked for. Browsers revalidate each
 * time and get a 304 while a file is unchanged.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../services/context.ts';
import { connectFields } from './connect-fields.ts';
import { toBrowserModule } from './browser-module.ts';
import { readReferenceScript } from './reference-script.ts';
import { CONTENT_TYPES, setStaticHeaders } from './static-headers.ts';

interface Asset {
  readonly contentType: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  /** Hash of the body. */
  readonly hash: string;
}

/** Folder of the browser code. */
const SCRIPTS = join(import.meta.dirname, 'assets/scripts');

/** Path of the API reference's script. */
export const REFERENCE_SCRIPT = '/scalar.js';

/** Serves existing files and passes other requests on. Mounted at /assets. */
export function serveAssets(context: Context): RequestHandler {
  const assets = new Map([...staticFiles(), ...browserModules()]);
  assets.set(
    '/connect-fields.json',
    once(() => jsonAsset(connectFields(context))),
  );
  // It has five megabytes, and most processes never serve it.
  assets.set(REFERENCE_SCRIPT, once(loadReferenceScript));
  return async (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    const asset = await assets.get(request.path)?.();
    if (asset === undefined) return next();
    sendAsset(request, response, asset);
  };
}

/** An asset with its path, made at the first call. */
type Entry = [path: string, make: () => Asset | Promise<Asset>];

function staticFiles(): Entry[] {
  const folder = join(import.meta.dirname, 'assets');
  return readdirSync(folder).flatMap((name): Entry[] => {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) return [];
    const body = readFileSync(join(folder, name));
    return [[`/${name}`, once(() => assetOf(contentType, body))]];
  });
}

function browserModules(): Entry[] {
  const names = readdirSync(SCRIPTS).filter((name) => name.endsWith('.ts'));
  return names.map((name) => {
    const source = readFileSync(join(SCRIPTS, name), 'utf8');
    const make = () => assetOf('text/javascript; charset=utf-8', Buffer.from(toBrowserModule(source)));
    return [`/scripts/${scriptName(name)}`, once(make)];
  });
}

function once<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}

/** Returns the name under which a browser module is served. */
function scriptName(name: string): string {
  return name.replace(/\.ts$/, '.js');
}

function assetOf(contentType: string, body: Buffer, gzipped: Buffer = gzipSync(body)): Asset {
  return { contentType, body, gzipped, hash: createHash('sha256').update(body).digest('base64url').slice(0, 22) };
}

function jsonAsset(value: unknown): Asset {
  return assetOf('application/json; charset=utf-8', Buffer.from(JSON.stringify(value)));
}

async function loadReferenceScript(): Promise<Asset> {
  const body = Buffer.from(await readReferenceScript());
  return assetOf('text/javascript; charset=utf-8', body, await promisify(gzip)(body));
}

function sendAsset(request: Request, response: Response, asset: Asset): void {
  const zipped = request.acceptsEncodings('gzip') === 'gzip';
  setStaticHeaders(response, asset.contentType);
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('etag', zipped ? `"${asset.hash}-gzip"` : `"${asset.hash}"`);
  if (zipped) response.setHeader('content-encoding', 'gzip');
  response.send(zipped ? asset.gzipped : asset.body);
}
