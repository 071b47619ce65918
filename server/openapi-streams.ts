/** The document's entries for what is served beside the operations: the streams, and the document itself. Pure. */
import type { ErrorCode } from '../errors/codes.ts';
import type { Scope } from '../services/access/scopes.ts';
import { REPLAY_DAYS } from '../services/events/event-feed.ts';
import { EXPORT_KINDS } from '../services/exports/export-kinds.ts';
import { EXPORT_FORMATS } from '../services/exports/export-rows.ts';
import { STREAM_SCOPE } from './event-stream.ts';
import { ARCHIVE } from './exports.ts';
import { CONTENT_DISPOSITION, errorResponses, RATE_HEADERS, withHeaders } from './openapi-answers.ts';
import { securityOf } from './openapi-security.ts';

export function documentOperation() {
  return {
    operationId: 'public_openapi',
    tags: ['Public'],
    summary: 'Read this document',
    description: 'Gives the OpenAPI document of the API, which is the same for everyone.',
    security: [],
    responses: {
      '200': { description: 'This document.', content: { 'application/json': { schema: { type: 'object' } } } },
      ...errorResponses(['too many requests'], []),
    },
  };
}

/** Each kind needs one of them; the archive has the kinds that the scopes allow. */
const EXPORT_SCOPES: readonly Scope[] = [...new Set(Object.values(EXPORT_KINDS).map(({ scope }) => scope))];

/** A stream, which no operation can declare. */
export function exportOperation() {
  const codes: ErrorCode[] = ['invalid_request', 'unauthorized', 'forbidden', 'not_found', 'limit_exceeded'];
  const parameter = (name: string, place: 'path' | 'query', description: string, schema: object) => {
    return { name, in: place, required: place === 'path', description, schema };
  };
  return {
    operationId: 'exports_read',
    tags: ['Exports'],
    summary: 'Export everything of a kind',
    description:
      'A stream of all rows of a kind within the reach of the key, in the order of their ids, without secrets: one JSON object or one CSV line each. It ends with the rows that exist when it begins. An answer that breaks off is not complete: ask again with after. `archive` is a ZIP file of all kinds that the key may read and the bytes of the images; it takes no after.',
    security: securityOf(EXPORT_SCOPES),
    parameters: [
      parameter('kind', 'path', 'What to export.', { type: 'string', enum: [...Object.keys(EXPORT_KINDS), ARCHIVE] }),
      parameter('format', 'query', 'Format of the rows. Default ndjson.', { type: 'string', enum: EXPORT_FORMATS }),
      parameter('after', 'query', 'The last id that you have, for metrics the postId: the export goes on after it.', {
        type: 'string',
        format: 'uuid',
      }),
    ],
    responses: {
      '200': {
        description: 'The rows.',
        ...withHeaders([...Object.keys(RATE_HEADERS), CONTENT_DISPOSITION]),
        content: {
          'application/x-ndjson': { schema: { type: 'string' } },
          'text/csv': { schema: { type: 'string' } },
          'application/zip': { schema: {} },
        },
      },
      ...errorResponses(
        [...codes, 'too many requests', 'internal_server_error', 'storage_unavailable'],
        Object.keys(RATE_HEADERS),
      ),
    },
  };
}

/** A stream, which no operation can declare. */
export function eventsOperation() {
  const codes: ErrorCode[] = ['invalid_request', 'unauthorized', 'forbidden', 'limit_exceeded', 'too many requests'];
  return {
    operationId: 'events_stream',
    tags: ['Webhooks'],
    summary: 'Listen to events',
    description:
      'A stream of server-sent events: what a webhook registered with this key would receive, from now on. Each message has an id, which is the position after the event, its name, its mode in the field `mode`, and as data exactly what a webhook is posted. A message without data only has a position. Send the last id you have as Last-Event-ID, and the stream goes on behind it without loss or repeat. An access token needs the scope `webhooks:read`.',
    security: securityOf([STREAM_SCOPE]),
    parameters: [
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        description: `The last id that was received, of the last ${REPLAY_DAYS} days; an older or unknown one is refused. Left out, the stream begins at present.`,
        schema: { type: 'string' },
      },
    ],
    responses: {
      '200': {
        description:
          'The stream. It ends when the key or the grant is revoked, the access token expires, or the server stops.',
        ...withHeaders(Object.keys(RATE_HEADERS)),
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      ...errorResponses([...codes, 'internal_server_error', 'storage_unavailable'], Object.keys(RATE_HEADERS)),
    },
  };
}
