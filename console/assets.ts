/**
 * Serves the static files of server-rendered pages under /assets: the files of console/assets, the browser code of its
 * folder scripts with the types stripped, the API reference's script, and the fields that platforms ask for. All files
 * are held in memory and compressed once. Browsers revalidate each time and get a 304 while a file is unchanged.
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
  const assets = loadAssets();
  const fields = Buffer.from(JSON.stringify(connectFields(context)));
  assets.set('/connect-fields.json', assetOf('application/json; charset=utf-8', fields));
  let referenceScript: Promise<Asset> | undefined;
  return async (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    // This script has five megabytes and is loaded on first use, because most processes never serve it.
    if (request.path === REFERENCE_SCRIPT)
      return sendAsset(request, response, await (referenceScript ??= loadReferenceScript()));
    const asset = assets.get(request.path);
    if (asset === undefined) return next();
    sendAsset(request, response, asset);
  };
}

function loadAssets(): Map<string, Asset> {
  const files = join(import.meta.dirname, 'assets');
  const assets = new Map<string, Asset>();
  for (const name of readdirSync(files)) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType !== undefined) assets.set(`/${name}`, assetOf(contentType, readFileSync(join(files, name))));
  }
  for (const name of browserModules()) {
    const source = readFileSync(join(SCRIPTS, name), 'utf8');
    assets.set(
      `/scripts/${scriptName(name)}`,
      assetOf('text/javascript; charset=utf-8', Buffer.from(toBrowserModule(source))),
    );
  }
  return assets;
}

/** Lists the file names of the browser code. */
function browserModules(): string[] {
  return readdirSync(SCRIPTS).filter((name) => name.endsWith('.ts'));
}

/** Returns the name under which a browser module is served. */
function scriptName(name: string): string {
  return name.replace(/\.ts$/, '.js');
}

function assetOf(contentType: string, body: Buffer, gzipped: Buffer = gzipSync(body)): Asset {
  return { contentType, body, gzipped, hash: createHash('sha256').update(body).digest('base64url').slice(0, 22) };
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
