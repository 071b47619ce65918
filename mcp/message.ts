/** A request to /mcp with its body, and the same as the SDK takes it. */
import type { IncomingMessage } from 'node:http';

export interface Message {
  readonly request: IncomingMessage;
  /** The text of the body; undefined for a request that has none. */
  readonly text: string | undefined;
  /** The parsed body; undefined when there is none or it is not JSON. The protocol has its own error for those. */
  readonly body: unknown;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

export function messageOf(request: IncomingMessage, bytes: Buffer | undefined): Message {
  const text = bytes === undefined ? undefined : decoded(bytes);
  return { request, text, body: parsed(text) };
}

/** Empty for a body that is not UTF-8, so that the protocol answers its error for what is not JSON. */
function decoded(bytes: Buffer): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return '';
  }
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param left aborts when the client disconnects */
export function toWebRequest({ request, text }: Message, left: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const url = `http://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`;
  return new Request(url, {
    method: request.method ?? 'GET',
    headers,
    signal: left,
    ...(text !== undefined && { body: text }),
  });
}
