/**
 * Seals the notes that a client receives and sends back. Each is valid for ten minutes and for the caller it was made
 * for.
 */
import { createRequestStateCodec, type RequestStateCodec, type ServerContext } from '@modelcontextprotocol/server';
import type { Context } from '../services/context.ts';
import type { McpCall } from './call-operation.ts';

export type RequestStates = RequestStateCodec;

/** Seconds within which the answer must come. */
const TTL_SECONDS = 600;

export function createRequestStates(context: Context): RequestStates {
  return createRequestStateCodec({
    key: context.signer.sign('mcpNoteKey', 'key'),
    ttlSeconds: TTL_SECONDS,
    bind: callerOf,
  });
}

/** The caller that a note is made for. */
function callerOf({ http }: ServerContext): string {
  const { accountId, actor, keyId } = (http?.authInfo?.extra as McpCall | undefined)?.caller ?? missing();
  return `${accountId} ${actor.kind} ${keyId}`;
}

function missing(): never {
  throw new Error('a request came to a tool without its caller');
}
