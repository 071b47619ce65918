/**
 * A chat in a real browser that shows the views of a world: its page holds the extension's own bridge, its server applies the
 * policy that a view asks for, and its tools are called over MCP.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server';
import { type Browser, chromium, type Frame, type Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { startWorld, type World } from '../../harness/world.ts';
import { connect } from '../../mcp/clients.ts';

const shared = inject('stage');

/** False when the global setup found no browser. */
export const HAS_BROWSER = shared !== null;

const ALL_TOOLS = '/mcp/all';

type Client = Awaited<ReturnType<typeof connect>>;
type Input = Record<string, unknown>;
type Result = Awaited<ReturnType<Client['callTool']>>;

export interface ShowOptions {
  /** Context that the host gives: theme, time zone. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Capabilities that the host does not have. */
  readonly without?: readonly ('serverTools' | 'openLinks')[];
  readonly width?: number;
  /** Path of the tools; those of most views are at /mcp/all. */
  readonly path?: string;
  /** What the host sends in place of the result of the tool; null for nothing. */
  readonly result?: unknown;
}

/** A view that is shown. */
export interface Shown {
  readonly page: Page;
  readonly view: Frame;
  /** The result of the tool that the view belongs to. */
  readonly result: Result;
  /** Tools that the view called, in order, with their arguments. */
  readonly calls: readonly (readonly [string, Input])[];
  /** Errors and warnings of the browser so far, which are then expected. */
  complaints(): string[];
  /** Addresses that the browser began to load besides the host's page and the view, which are then expected. */
  requests(): string[];
  /** Runs a function of the host's page. */
  host<Value>(code: string): Promise<Value>;
}

export interface Chat {
  readonly world: World;
  /** Calls a tool as an agent does, and shows its answer in its view. */
  show(tool: string, input: Input, options?: ShowOptions): Promise<Shown>;
}

/** Starts a chat for the tests of a file. After each test, no frame may have reported an error or made a request. */
export function useChat(): Chat {
  let browser: Browser | undefined;
  let world: World | undefined;
  const clients = new Map<string, Client>();
  let server: Server | undefined;
  const views = new Map<string, { readonly page: string; readonly policy: string }>();
  const opened: { readonly page: Page; readonly complaints: string[]; readonly requests: string[] }[] = [];

  beforeAll(async () => {
    if (shared === null) return;
    browser = await chromium.connect(shared.browserUrl);
    world = await startWorld({ sleepsReally: true });
    const negotiated = { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } };
    for (const path of [ALL_TOOLS, '/mcp/x/approvals']) {
      const client = await connect(world, 'modern', world.liveKey, path, negotiated);
      clients.set(path, client);
      for (const [uri, view] of await readViews(client)) views.set(uri, view);
    }
    server = await serve(await hostScript(), views);
  });
  afterEach(async () => {
    for (const { page, complaints, requests } of opened.splice(0)) {
      await page.context().close();
      expect(complaints).toEqual([]);
      expect(requests).toEqual([]);
    }
  });
  afterAll(async () => {
    for (const client of clients.values()) await client.close();
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
  });

  return {
    get world() {
      return world as World;
    },
    show: async (tool, input, { path = ALL_TOOLS, context = {}, without = [], width = 640, result: other } = {}) => {
      const client = clients.get(path) as Client;
      const { port } = (server as Server).address() as AddressInfo;
      const origin = `http://127.0.0.1:${port}`;
      const { tools } = await client.listTools();
      const { _meta } = tools.find(({ name }) => name === tool) ?? {};
      const { resourceUri: uri = '' } = (_meta?.['ui'] ?? {}) as { resourceUri?: string };
      const address = `${origin}/view?uri=${encodeURIComponent(uri)}`;
      const page = await (browser as Browser).newPage({ viewport: { width, height: 800 } });
      const complaints: string[] = [];
      const requests: string[] = [];
      const calls: [string, Input][] = [];
      opened.push({ page, complaints, requests });
      page.setDefaultTimeout(15_000);
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      page.on('request', (request) => {
        if (![`${origin}/`, address].includes(request.url())) requests.push(request.url());
      });
      await page.exposeFunction('callTool', (name: string, args: Input) => {
        calls.push([name, args]);
        return client.callTool({ name, arguments: args });
      });
      await page.goto(`${origin}/`);
      const host = <Value>(code: string) => page.evaluate<Value>(code);
      await host(`showView(${JSON.stringify({ address, context, without })})`);
      await host(`sendInput(${JSON.stringify(input)})`);
      const result = await client.callTool({ name: tool, arguments: input });
      if (other !== null) await host(`sendResult(${JSON.stringify(other ?? result)})`);
      const view = page.frames().find((frame) => frame.url() === address);
      if (view === undefined) throw new Error('the view has no frame');
      return {
        page,
        view,
        result,
        calls,
        host,
        complaints: () => complaints.splice(0),
        requests: () => requests.splice(0),
      };
    },
  };
}

/** Each view as the server gives it, with the policy that a host makes of what the view asks for. */
async function readViews(client: Client) {
  const { resources } = await client.listResources();
  const pages = resources
    .filter(({ uri }) => uri.startsWith('ui:'))
    .map(async ({ uri }) => {
      const { contents } = await client.readResource({ uri });
      const [{ text = '', _meta = {} } = {}] = contents as { text?: string; _meta?: Record<string, unknown> }[];
      return [uri, { page: text, policy: policyOf((_meta['ui'] as { csp: Csp }).csp) }] as const;
    });
  return new Map(await Promise.all(pages));
}

interface Csp {
  readonly connectDomains: readonly string[];
  readonly resourceDomains: readonly string[];
  readonly frameDomains: readonly string[];
}

/** The policy of the extension's specification. */
function policyOf({ connectDomains, resourceDomains, frameDomains }: Csp): string {
  const resources = resourceDomains.join(' ');
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${resources}`,
    `style-src 'self' 'unsafe-inline' ${resources}`,
    `connect-src 'self' ${connectDomains.join(' ')}`,
    `img-src 'self' data: ${resources}`,
    `frame-src ${frameDomains.join(' ') || "'none'"}`,
    "object-src 'none'",
    "base-uri 'self'",
  ].join('; ');
}

/** The bridge for the browser, in one script. */
async function hostScript(): Promise<string> {
  const input = join(import.meta.dirname, 'host-page.js');
  const built = (await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: { input, output: { format: 'iife', codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput;
  return built.output[0].code.replaceAll('</script', String.raw`\x3C/script`);
}

async function serve(
  script: string,
  views: ReadonlyMap<string, { readonly page: string; readonly policy: string }>,
): Promise<Server> {
  const hostPage = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Chat</title>
<style>body { margin: 0 } iframe { display: block; width: 100%; border: 0 }</style><script type="module">${script}</script>`;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
    const view = pathname === '/view' ? views.get(searchParams.get('uri') ?? '') : undefined;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (view !== undefined) response.setHeader('content-security-policy', view.policy);
    response.end(view?.page ?? hostPage);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
