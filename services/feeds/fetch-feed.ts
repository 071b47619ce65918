/** Asks for a feed politely: only for what has changed, within limits of size and time, through the outbound guard. */
import { NotSentError } from '../../platforms/http.ts';
import type { Context } from '../context.ts';
import { fetchRedirected, tooManyRedirects } from '../outbound/fetch-redirected.ts';
import { decodeDocument } from './decode-document.ts';
import { type ParsedItem, parseFeed } from './parse-feed.ts';

/** Real time for the whole answer, redirects included. */
const TIMEOUT_MS = 20_000;

/** Largest document. */
const BYTES_MAX = 2 * 1024 * 1024;

/** Longest validator that is kept. */
const VALIDATOR_MAX = 1_000;

/** Longest wait that a server can ask for. */
const WAIT_MAX_SECONDS = 86_400;

/** What is wrong with an answer `unchanged` to a request without validators. */
export const NOTHING_READ = 'The server says that nothing has changed, although nothing was read before (HTTP 304).';

export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export type FeedAnswer =
  | ({ readonly kind: 'items'; readonly items: readonly ParsedItem[] } & Validators)
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly why: string; readonly waitSeconds: number };

/** Never throws because of the other side. */
export async function fetchFeed(context: Context, url: string, known: Validators): Promise<FeedAnswer> {
  const signal = context.clock.deadline(TIMEOUT_MS);
  const first = new URL(url);
  try {
    const headers = {
      accept: 'application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.8, */*;q=0.1',
      'user-agent': `Carillon/${context.version} (${context.config.publicUrl})`,
      ...(known.etag !== null && { 'if-none-match': known.etag }),
      ...(known.lastModified !== null && { 'if-modified-since': known.lastModified }),
    };
    const reached = await fetchRedirected(context, first, { headers, signal, maxResponseBytes: BYTES_MAX });
    if (reached === null) return failed(tooManyRedirects(first));
    const { response, host, address } = reached;
    if (response.status === 200) return await readAnswer(response, address);
    await response.body?.cancel();
    if (response.status === 304) return { kind: 'unchanged' };
    if (response.status === 410) return { kind: 'gone' };
    return failed(`${host} answered HTTP ${response.status}`, waitOf(response, context.clock.now()));
  } catch (error) {
    if (signal.aborted) return failed(`${first.host} did not answer within ${TIMEOUT_MS / 1_000} seconds`);
    if (error instanceof NotSentError) return failed(error.message.replace(/\.$/, ''));
    return failed(`${first.host} broke off, or answered with more than ${BYTES_MAX / 1_048_576} MiB`);
  }
}

function failed(why: string, waitSeconds = 0): FeedAnswer {
  return { kind: 'failed', why: `${why}.`, waitSeconds };
}

async function readAnswer(response: Response, address: string): Promise<FeedAnswer> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const items = parseFeed(decodeDocument(bytes, response.headers.get('content-type')), address);
  if (items === null) return failed('the address answers with something that is neither RSS nor Atom');
  const { headers } = response;
  return {
    kind: 'items',
    items,
    etag: validator(headers.get('etag')),
    lastModified: validator(headers.get('last-modified')),
  };
}

function validator(value: string | null): string | null {
  return value === null || value.length > VALIDATOR_MAX ? null : value;
}

/** RFC 9110 section 10.2.3: seconds or a date. */
function waitOf({ headers }: Response, now: Date): number {
  const value = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now.getTime()) / 1_000;
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(Math.ceil(seconds), 0), WAIT_MAX_SECONDS);
}
