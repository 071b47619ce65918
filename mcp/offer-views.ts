/**
 * Offers views to clients that negotiated MCP Apps: names the view of each tool, and serves the views as resources. Other
 * clients see no difference.
 */
import { CLIENT_CAPABILITIES_META_KEY, type McpServer } from '@modelcontextprotocol/server';
import { isSelected, type ToolSelection } from './tool-selection.ts';
import { operations } from '../routers/operations.ts';
import { CHAT_VIEWS, type ChatView } from './views.ts';

/** Identifier of the extension. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';

/** Type of a view, which a client names when it negotiates the extension. */
export const VIEW_MIME_TYPE = 'text/html;profile=mcp-app';

/** Gives the page of a view; null when it is not built. */
export type ReadView = (name: string) => string | null;

/**
 * What begins the session id of a client that negotiated the extension in the handshake of the revisions before 2026-07-28.
 * Only the handshake names capabilities there, and clients repeat the session id in each request. The id carries nothing
 * else: this server keeps no sessions.
 */
const SESSION_MARK = 'ui-';

/** Where a host enforces the policy of the view's own page too. */
const META = {
  ui: {
    csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
    prefersBorder: true,
  },
};

export function viewUri(name: string): string {
  return `ui://carillon/${name}`;
}

/** Whether the client of a request shows views. @param sessionId header of the request */
export function showsViews(body: unknown, sessionId: string | null): boolean {
  return namesExtension(body) || sessionId?.startsWith(SESSION_MARK) === true;
}

/** A session id for the answer to a handshake that negotiates the extension; null for all other requests. */
export function sessionIdFor(body: unknown, uuid: () => string): string | null {
  const isHandshake = (Object(body) as { method?: unknown }).method === 'initialize';
  return isHandshake && namesExtension(body) ? SESSION_MARK + uuid() : null;
}

interface Capabilities {
  readonly extensions?: Readonly<Record<string, { readonly mimeTypes?: unknown } | null>> | null;
}

interface Request {
  readonly params?: {
    readonly capabilities?: Capabilities | null;
    readonly _meta?: Readonly<Record<string, Capabilities | null>> | null;
  } | null;
}

function namesExtension(body: unknown): boolean {
  const { params } = Object(body) as Request;
  const capabilities = params?._meta?.[CLIENT_CAPABILITIES_META_KEY] ?? params?.capabilities;
  const mimeTypes = capabilities?.extensions?.[UI_EXTENSION]?.mimeTypes;
  return Array.isArray(mimeTypes) && mimeTypes.includes(VIEW_MIME_TYPE);
}

/** The views of a selection: those with one of its tools, if they are built. */
export function viewsOf(selection: ToolSelection, readView: ReadView): readonly ChatView[] {
  const tools = new Set(
    operations.flatMap(({ meta: { tool } }) => ('name' in tool && isSelected(selection, tool) ? [tool.name] : [])),
  );
  return CHAT_VIEWS.filter(
    ({ name, tools: shown }) => shown.some((tool) => tools.has(tool)) && readView(name) !== null,
  );
}

/** The view of a tool, and who may call the tool: views only those that they name. */
export function viewMeta(tool: string, views: readonly ChatView[]): { readonly ui: Readonly<Record<string, unknown>> } {
  const view = views.find(({ tools }) => tools.includes(tool));
  const isCalled = views.some(({ calls }) => calls.includes(tool));
  return {
    ui: {
      ...(view !== undefined && { resourceUri: viewUri(view.name) }),
      visibility: isCalled ? ['model', 'app'] : ['model'],
    },
  };
}

export function registerViews(server: McpServer, views: readonly ChatView[], readView: ReadView): void {
  for (const { name, title, description } of views) {
    const uri = viewUri(name);
    const config = {
      title,
      description,
      mimeType: VIEW_MIME_TYPE,
      _meta: META,
      // A view changes only with the version.
      cacheHint: { ttlMs: 300_000, cacheScope: 'private' } as const,
    };
    server.registerResource(name, uri, config, () => ({
      contents: [{ uri, mimeType: VIEW_MIME_TYPE, text: readView(name) ?? '', _meta: META }],
    }));
  }
}
