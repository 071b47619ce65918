/** Seals the notes that travel through a client and back, each good for the caller it was made for and for ten minutes. */
import { createRequestStateCodec, type RequestStateCodec, type ServerContext } from '@modelcontextprotocol/server';
import type { Context } from '../services/context.ts';
import type { McpCall } from './call-operation.ts';

export type RequestStates = RequestStateCodec;

/** How long an answer may take. */
const TTL_SECONDS = 600;

export function createRequestStates(context: Context): RequestStates {
  return createRequestStateCodec({
    key: context.signer.sign('mcpNoteKey', 'key'),
    ttlSeconds: TTL_SECONDS,
    bind: callerOf,
  });
}

/** Whom a note is made for. */
function callerOf({ http }: ServerContext): string {
  const { accountId, actor, keyId } = (http?.authInfo?.extra as McpCall | undefined)?.caller ?? missing();
  return `${accountId} ${actor.kind} ${keyId}`;
}

function missing(): never {
  throw new Error('a request came to a tool without its caller');
}
