/**
 * Shared by all browser tests: the product as a separate process, the app that customers come from, and a real browser.
 * They start once. Tests set the clock of the product, so the files run one after the other.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserServer, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { ensureBuilt } from '../../scripts/ensure-built.js';
import { freePort, launchProcess, LIVE_KEY, type ServerProcess } from '../crash/server-process.ts';
import { waitUntil } from '../crash/wait-until.ts';

export interface SharedStage {
  readonly productUrl: string;
  readonly appUrl: string;
  /** Address from which the browser is driven. */
  readonly browserUrl: string;
  /** Port on which the product expects a directory of Bluesky accounts. */
  readonly plcPort: number;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Null when there is no browser. */
    stage: SharedStage | null;
  }
}

/** Options that work on machines without a screen, a graphics card or a user. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
];

/** The owner who signs in to the product. */
export const OWNER = { email: 'owner@bells.example', password: 'four bells at midnight' };

/** Longest start on a busy machine. */
const START_TIMEOUT_MS = 180_000;

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  if (process.env['CHROMIUM_PATH'] === undefined) {
    provide('stage', null);
    return async () => {};
  }
  await ensureBuilt(join(import.meta.dirname, '../..'), 'console');
  const dataDir = await mkdtemp(join(tmpdir(), 'carillon-browser-'));
  const plcPort = await freePort();
  const [product, app, browser] = await Promise.all([startProduct(dataDir, plcPort), startApp(), startBrowser()]);
  provide('stage', { productUrl: product.url, appUrl: app.url, browserUrl: browser.wsEndpoint(), plcPort });
  return async () => {
    await Promise.all([product.stop(), app.close(), browser.close()]);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
}

async function startProduct(dataDir: string, plcPort: number): Promise<ServerProcess> {
  const product = launchProcess({
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    BOOTSTRAP_LIVE_KEY: LIVE_KEY,
    OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
    OWNER_EMAIL: OWNER.email,
    OWNER_PASSWORD: OWNER.password,
    CLOCK: 'manual',
    BLUESKY_PLC_URL: `http://127.0.0.1:${plcPort}`,
  });
  const isReady = () => {
    if (product.child.exitCode !== null) throw new Error(`the server ended: ${product.stderr()}`);
    return product.get('/readyz').then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await waitUntil('the product is ready', isReady, START_TIMEOUT_MS);
  return product;
}

/** The caller's own app, on a separate site. */
async function startApp(): Promise<{ url: string; close(): Promise<unknown> }> {
  const page =
    '<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>App</title><h1>Back in the app</h1>';
  const server = createServer((_request, response) => void response.setHeader('content-type', 'text/html').end(page));
  server.listen(0);
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    return once(server.close(), 'close');
  };
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, close };
}

function startBrowser(): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath: process.env['CHROMIUM_PATH'] ?? '', args: FLAGS });
}
