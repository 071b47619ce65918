/**
 * The view's side of MCP Apps, revision 2026-01-26: JSON-RPC with the host of the chat, in messages between windows. Written
 * here because the extension's own class brings the protocol's schemas, which are larger than a view.
 */
import type {
  McpUiHostContext,
  McpUiInitializeRequest,
  McpUiInitializeResult,
  McpUiOpenLinkRequest,
} from '@modelcontextprotocol/ext-apps';

/** The result of a tool, as far as views read it. */
export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** What the host has said so far. A change makes another object. */
export interface HostState {
  readonly context: McpUiHostContext;
  readonly canCallTools: boolean;
  readonly canOpenLinks: boolean;
  /** Arguments of the call that the view belongs to. */
  readonly input: Arguments | null;
  readonly result: ToolResult | null;
  readonly isCancelled: boolean;
}

export interface Host {
  readonly read: () => HostState;
  /** @returns how to end it */
  readonly subscribe: (listener: () => void) => () => void;
  /** @throws Error when the host refuses the call or the connection to the server fails */
  readonly callTool: (name: string, input: Arguments) => Promise<ToolResult>;
  readonly openLink: (url: string) => void;
}

interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const REVISION = '2026-01-26';

/** JSON-RPC's code for a method that is not there. */
const METHOD_NOT_FOUND = -32_601;

const NOTHING: HostState = {
  context: {},
  canCallTools: false,
  canOpenLinks: false,
  input: null,
  result: null,
  isCancelled: false,
};

/** Requests of a host that have an answer, which is empty. */
const ANSWERED: ReadonlySet<string> = new Set(['ping', 'ui/resource-teardown']);

/** What a notification changes. Partial arguments and unknown notifications change nothing. */
const CHANGES: Readonly<Record<string, (params: never, state: HostState) => Partial<HostState>>> = {
  'ui/notifications/tool-input': ({ arguments: input = {} }: { arguments?: Arguments }) => ({ input }),
  'ui/notifications/tool-result': (result: ToolResult) => ({ result }),
  'ui/notifications/tool-cancelled': () => ({ isCancelled: true }),
  'ui/notifications/host-context-changed': (changed: McpUiHostContext, { context }) => ({
    context: { ...context, ...changed },
  }),
};

/** Begins the handshake with the window above this one. @param name of the view */
export function connectHost(name: string): Host {
  let state = NOTHING;
  let lastId = 0;
  const listeners = new Set<() => void>();
  const waiting = new Map<string | number, (message: Message) => void>();

  const change = (changes: Partial<HostState>) => {
    state = { ...state, ...changes };
    for (const listener of listeners) listener();
  };
  // The frame has no origin that it could name: only the window above receives the message.
  const send = (message: Omit<Message, 'jsonrpc'>) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const ask = async <Result>(method: string, params: unknown): Promise<Result> => {
    lastId += 1;
    const id = lastId;
    const answered = new Promise<Message>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    const { result, error } = await answered;
    waiting.delete(id);
    if (error !== undefined) throw new Error(error.message);
    return result as Result;
  };

  window.addEventListener('message', ({ source, data }: MessageEvent<Message | null>) => {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return;
    const { id, method, params = {} } = data;
    if (method === undefined) return waiting.get(id ?? '')?.(data);
    if (id === undefined) return change(CHANGES[method]?.(params as never, state) ?? {});
    if (ANSWERED.has(method)) return send({ id, result: {} });
    send({ id, error: { code: METHOD_NOT_FOUND, message: `This view has no ${method}.` } });
  });

  const introduction: McpUiInitializeRequest['params'] = {
    appInfo: { name: `carillon-${name}`, version: '1' },
    appCapabilities: { availableDisplayModes: ['inline'] },
    protocolVersion: REVISION,
  };
  const begin = async () => {
    const { hostContext, hostCapabilities } = await ask<Partial<McpUiInitializeResult>>('ui/initialize', introduction);
    change({
      context: hostContext ?? {},
      canCallTools: hostCapabilities?.serverTools !== undefined,
      canOpenLinks: hostCapabilities?.openLinks !== undefined,
    });
    send({ method: 'ui/notifications/initialized', params: {} });
    reportSize((size) => send({ method: 'ui/notifications/size-changed', params: size }));
  };
  void begin();

  return {
    read: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    callTool: (tool, input) => ask<ToolResult>('tools/call', { name: tool, arguments: input }),
    openLink: (url) => {
      const params: McpUiOpenLinkRequest['params'] = { url };
      // A host that refuses says so itself.
      ask('ui/open-link', params).catch(() => undefined);
    },
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Reports the height of the content now and whenever it changes: the host makes the frame as high. */
function reportSize(report: (size: Size) => void): void {
  let last = 0;
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === last) return;
    last = height;
    report({ width: window.innerWidth, height });
  });
  observer.observe(document.body);
}
