/** Reads a resource: gives the body of an operation's answer, and translates its failure into a protocol error. */
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { isLogged } from '../errors/codes.ts';
import { publicError } from '../errors/error-body.ts';
import type { McpCall } from './call-operation.ts';
import { UNTRUSTED_META_KEY, untrustedFields } from './untrusted-fields.ts';
import type { OperationServices } from '../routers/context.ts';
import type { Context } from '../services/context.ts';

export const MIME_TYPE = 'application/json';

/** @param read gives the body; undefined when no resource has this address */
export async function readResource(
  context: OperationServices,
  uri: string,
  call: McpCall,
  read: () => Promise<unknown>,
): Promise<ReadResourceResult> {
  const body = await read().catch((thrown: unknown) => {
    throw protocolErrorOf(context, uri, call, thrown);
  });
  if (body === undefined) throw new ResourceNotFoundError(uri);
  const untrusted = untrustedFields(body);
  const marked = untrusted.length > 0 && { _meta: { [UNTRUSTED_META_KEY]: untrusted } };
  return { contents: [{ uri, mimeType: MIME_TYPE, text: JSON.stringify(body), ...marked }] };
}

function protocolErrorOf(context: Context, uri: string, call: McpCall, thrown: unknown): ProtocolError {
  const error = publicError(thrown);
  const message = `${error.code}: ${error.message}`;
  // A malformed id does not name a resource either.
  if (error.code === 'not_found' || error.code === 'invalid_request') return new ResourceNotFoundError(uri, message);
  if (!isLogged(error.code)) return new ProtocolError(ProtocolErrorCode.InvalidRequest, message);
  context.log.error({ reqId: call.requestId, err: thrown }, 'a resource could not be read');
  return new ProtocolError(ProtocolErrorCode.InternalError, message);
}
