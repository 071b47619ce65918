/**
 * Which requests outlive their page. Browsers end the requests of a page that is left, except those with `keepalive`. These may have
 * 64 KiB of body under way together (Fetch standard, 4.6), and Chromium refuses more than some at a time, so a request gets it
 * only while it fits into these limits.
 */

const BYTES_MAX = 32 * 1024;
const REQUESTS_MAX = 8;

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
  const size = typeof body === 'string' ? new TextEncoder().encode(body).length : Number.POSITIVE_INFINITY;
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
