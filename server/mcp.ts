/** Serves MCP to Node's server. Its code is loaded with the first request. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readChatView } from '../console/chat-views.ts';
import type { Access } from './access.ts';
import { endWithText } from './end-with-text.ts';
import { loadOnce } from './load-once.ts';
import type { SharedParts } from './pages.ts';
import { rateHeaders, REQUEST_ID_HEADER } from './rate-headers.ts';
import { readBody } from './read-body.ts';
import { requestIdOf } from './request-id.ts';
import type { Runtime } from './runtime.ts';
import { secureHeaders } from './secure-headers.ts';
import { writeFailure } from './write-failure.ts';

export function createMcp(
  context: Runtime,
  { credentials }: Access,
  { openApi, streams }: SharedParts,
): RequestListener {
  const load = loadOnce(async () => {
    const { createMcpHandler } = await import('../mcp/handler.ts');
    return createMcpHandler(context, {
      ...credentials('mcp'),
      commonHeaders: secureHeaders(context.config),
      requestIdOf,
      rateHeaders,
      readBody,
      endWithText,
      requestIdHeader: REQUEST_ID_HEADER,
      openApi: await openApi(),
      readView: readChatView,
      streams,
    });
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => (await load())(request, response);
  return (request, response) => {
    answer(request, response).catch((thrown: unknown) => writeFailure(context, response, thrown));
  };
}
