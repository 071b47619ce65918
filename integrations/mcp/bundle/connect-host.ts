/** Passes messages between a host and the MCP endpoint of an install, so that each request of the host has an answer. */
// oxlint-disable unicorn/prefer-add-event-listener -- transports have only these
import { SdkHttpError } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/** JSON-RPC's code for an error of the server itself. */
const FAILED = -32_000;

/** What the two have of a transport. */
type Host = Pick<Transport, 'send' | 'onmessage' | 'onclose'>;
type Install = Pick<Transport, 'send' | 'close' | 'onmessage'> & { setProtocolVersion(version: string): void };

/** @param url address of the install, for messages */
export function connectHost(host: Host, install: Install, url: string): void {
  const unanswered = new Set<unknown>();
  const fail = (id: string | number, message: string) => {
    if (!unanswered.delete(id)) return;
    void host.send({ jsonrpc: '2.0', id, error: { code: FAILED, message } });
  };
  host.onmessage = (message) => {
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    if (id === undefined) return void install.send(message).catch(() => undefined);
    unanswered.add(id);
    const onRequestStreamEnd = () =>
      fail(
        id,
        `The answer of ${url} broke off. The call may have been carried out: look at what there is before you repeat it.`,
      );
    install.send(message, { onRequestStreamEnd }).catch((error: unknown) => fail(id, reasonOf(error, url)));
  };
  install.onmessage = (message) => {
    const revision = agreedRevision(message);
    if (revision !== undefined) install.setProtocolVersion(revision);
    if (!('method' in message) && 'id' in message) unanswered.delete(message.id);
    void host.send(message);
  };
  host.onclose = () => void install.close();
}

function reasonOf(error: unknown, url: string): string {
  const words = error instanceof Error ? error.message : String(error);
  if (!(error instanceof SdkHttpError)) return `${url} did not answer: ${words}`;
  return `${url} answered HTTP ${error.status}: ${messageIn(String(error.data.text)) ?? words}`;
}

/** The message and the hint of an error body of an install. */
function messageIn(text: string): string | undefined {
  try {
    const { message, hint } = JSON.parse(text) as { readonly message?: string; readonly hint?: string };
    return [message, hint].filter(Boolean).join(' ') || undefined;
  } catch {
    return undefined;
  }
}

/** The revision that the host and the install agreed on, in revisions with a handshake. */
function agreedRevision(message: JSONRPCMessage): string | undefined {
  if (!('result' in message)) return undefined;
  const revision = (message.result as { readonly protocolVersion?: unknown }).protocolVersion;
  return typeof revision === 'string' ? revision : undefined;
}
