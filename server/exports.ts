/**
 * Streams of everything of one kind, and of everything as one archive (docs/contract/import-export.md#exports): GET
 * /api/v2/exports/{kind} for keys and GET /owner/exports/{kind} for signed-in people. They are not operations because a stream
 * has no body to declare. They use the same checks, rate limits, headers and errors.
 */
import type { Credentials } from '../mcp/admit.ts';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHandler, Response } from 'express';
import { signedIn } from '../console/people/signed-in.ts';
import { ServiceError } from '../errors/service-error.ts';
import { isUuid } from '../routers/schemas/common.ts';
import type { Caller } from '../services/access/caller.ts';
import type { Context } from '../services/context.ts';
import { archiveEntries } from '../services/exports/archive-entries.ts';
import { EXPORT_KINDS, isExportKind } from '../services/exports/export-kinds.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportRequest,
  exportRows,
  requireExportAccess,
} from '../services/exports/export-rows.ts';
import type { WithKeyChecks } from '../services/keys/key-checks.ts';
import type { WithLimiter } from '../services/limits/rate-limiter.ts';
import { ownerCaller } from '../services/people/owner-caller.ts';
import { REQUEST_ID_HEADER } from './rate-headers.ts';
import { requestIdOf } from './request-id.ts';
import { splitUrl } from './request-paths.ts';
import { admitCaller, countCaller, type ExpressExchange, writeError } from './rest-request.ts';
import { parseQuery } from './utf8.ts';
import { writeArchive } from './write-archive.ts';

/** Path below the API root; the name of the kind follows. */
export const EXPORTS_PATH = '/exports';

/** Most exports of an account that a process writes at a time. */
const AT_ONCE = 2;

/** A reader that takes nothing for this long, in milliseconds, loses its place to others of the account. */
const STALLED_AFTER_MS = 30_000;

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

/** Name of the archive in the place of a kind. */
export const ARCHIVE = 'archive';

type Handler = RequestHandler<{ kind: string }>;

/** Both handlers count the exports of an account together. */
export interface ExportHandlers {
  readonly forKeys: Handler;
  readonly forPeople: Handler;
}

export interface ExportOptions {
  /** Aborts when the process is asked to stop: exports are cut then. */
  readonly stopping: AbortSignal;
  /** Milliseconds of real time. */
  readonly stalledAfterMs?: number;
}

export function serveExports(
  context: Context & WithKeyChecks & WithLimiter,
  credentials: Credentials,
  { stopping, stalledAfterMs = STALLED_AFTER_MS }: ExportOptions,
): ExportHandlers {
  const running = new Map<string, number>();
  const serve =
    (identify: (exchange: ExpressExchange) => Promise<Caller>): Handler =>
    async (request, response) => {
      const exchange: ExpressExchange = { request, response, headers: { [REQUEST_ID_HEADER]: requestIdOf(response) } };
      let accountId: string | null = null;
      try {
        const caller = await identify(exchange);
        parseQuery(splitUrl(request.originalUrl).search);
        const wanted = readRequest(request.params.kind, request.query);
        if (wanted.kind !== ARCHIVE) requireExportAccess(caller, wanted.kind);
        const count = running.get(caller.accountId) ?? 0;
        if (count >= AT_ONCE) throw tooMany(count);
        ({ accountId } = caller);
        running.set(accountId, count + 1);
        begin(response, exchange.headers, wanted);
        // Bytes that the reader takes count as activity of the connection. With none to take, the database is slow.
        response.setTimeout(stalledAfterMs, () => {
          if (response.writableLength > 0) response.destroy();
        });
        if (request.method === 'HEAD') return void response.end();
        await write(context, caller, wanted, { response, stopping });
      } catch (thrown) {
        if (!response.headersSent) return await writeError(context, exchange, thrown);
        // The connection is cut, so that the reader does not take a part for the whole.
        if (!isCut(thrown)) context.log.warn({ reqId: requestIdOf(response), err: thrown }, 'an export broke off');
        response.destroy();
      } finally {
        if (accountId !== null) leave(running, accountId);
      }
    };
  return {
    forKeys: serve((exchange) => admitCaller(context, credentials, exchange, EXPORTS_PATH)),
    forPeople: serve((exchange) => admitPerson(context, exchange)),
  };
}

/** A link of the console leads here: the browser sends the cookie, and says which site the link is on. */
async function admitPerson(context: Context & WithLimiter, exchange: ExpressExchange): Promise<Caller> {
  const { request } = exchange;
  const person = await signedIn(context, request);
  if (person === null) throw new ServiceError('unauthorized', 'No one is signed in in this browser.');
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ServiceError('forbidden', 'Another site cannot load this export.');
  }
  const caller = ownerCaller(person);
  await countCaller(context, exchange, caller, EXPORTS_PATH);
  return caller;
}

/** What is asked for; the archive has no position to go on from. */
type Wanted = ExportRequest | { readonly kind: typeof ARCHIVE; readonly format: ExportFormat };

async function write(
  context: Context,
  caller: Caller,
  wanted: Wanted,
  { response, stopping: signal }: { readonly response: Response; readonly stopping: AbortSignal },
): Promise<void> {
  if (wanted.kind !== ARCHIVE) {
    return pipeline(Readable.from(exportRows(context, caller, wanted)), response, { signal });
  }
  const entries = archiveEntries(context, caller, wanted.format);
  await writeArchive(entries, response, { modifiedAt: context.clock.now(), signal });
}

function readRequest(kind: string, query: Readonly<Record<string, unknown>>): Wanted {
  if (kind !== ARCHIVE && !isExportKind(kind)) {
    const kinds = [...Object.keys(EXPORT_KINDS), ARCHIVE].join(', ');
    throw new ServiceError('not_found', `There is no export "${kind.slice(0, 60)}"; the exports are ${kinds}.`);
  }
  const { format = 'ndjson', after = null } = query;
  const known = EXPORT_FORMATS.find((one) => one === format);
  if (known === undefined)
    throw new ServiceError('invalid_request', `format: expected one of ${EXPORT_FORMATS.join(', ')}.`);
  if (kind === ARCHIVE) {
    if (after === null) return { kind, format: known };
    throw new ServiceError('invalid_request', 'after: an archive cannot go on after a row; read one kind instead.');
  }
  if (after !== null && (typeof after !== 'string' || !isUuid(after))) {
    throw new ServiceError('invalid_request', 'after: expected the id of the last row that you have, a UUID.');
  }
  return { kind, format: known, after: after === null ? null : after.toLowerCase() };
}

function tooMany(count: number): ServiceError {
  const message = `The account reads ${count} exports at this time; the limit is ${AT_ONCE}. Wait until one is complete.`;
  return new ServiceError('limit_exceeded', message);
}

function begin(response: Response, headers: Readonly<Record<string, string>>, { kind, format }: Wanted): void {
  const [type, extension] = kind === ARCHIVE ? ['application/zip', 'zip'] : [CONTENT_TYPES[format], format];
  response.writeHead(200, {
    ...headers,
    'content-type': type,
    'content-disposition': `attachment; filename="carillon-${kind}.${extension}"`,
    'cache-control': 'no-store',
  });
}

/** Whether the reader left, or the process stops. */
function isCut(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR' || code === 'ECONNRESET' || code === 'EPIPE';
}

function leave(running: Map<string, number>, accountId: string): void {
  const left = (running.get(accountId) ?? 1) - 1;
  if (left === 0) running.delete(accountId);
  else running.set(accountId, left);
}
