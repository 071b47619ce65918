/**
 * Which requests outlive their page. Browsers end the requests of a page that is left, except those with `keepalive`. These may have
 * 64 KiB of body in flight together (Fetch standard, 4.6), and browsers take only some at a time, Firefox in all tabs together, so a request gets it
 * only while it fits into these limits.
 */

const BYTES_MAX = 32 * 1024;
const REQUESTS_MAX = 4;

let bytes = 0;
let requests = 0;

/**
 * @param always also beyond the limits: the page is being left, and would end the request otherwise
 * @param send called with `keepalive`
 */
export async function outlivingPage<Answer>(
  body: unknown,
  always: boolean,
  send: (keepalive: boolean) => Promise<Answer>,
): Promise<Answer> {
  const size = typeof body === 'string' && body.length <= BYTES_MAX ? utf8Bytes(body) : Number.POSITIVE_INFINITY;
  const fits = requests < REQUESTS_MAX && bytes + size <= BYTES_MAX;
  if (!fits) return await send(always);
  bytes += size;
  requests += 1;
  try {
    return await send(true);
  } finally {
    bytes -= size;
    requests -= 1;
  }
}

const utf8Bytes = (text: string) => new TextEncoder().encode(text).length;
