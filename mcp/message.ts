/** A POST to /mcp with its body, and the same as the SDK takes it. */
import type { IncomingMessage } from 'node:http';

export interface Message {
  readonly request: IncomingMessage;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. The protocol has its own error for that. */
  readonly body: unknown;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

export function messageOf(request: IncomingMessage, bytes: Buffer): Message {
  const text = decoded(bytes);
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

function parsed(text: string): unknown {
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
  return new Request(url, { method: 'POST', headers, signal: left, body: text });
}
