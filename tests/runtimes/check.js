/** What the client does in every runtime: calls, an upload, a stream that breaks, a webhook. Imports nothing of the runtime. */

/**
 * @param client the module `carillon-client`
 * @param install `{ url, apiKey, image }`; the image is a PNG in base64
 * @returns one line for each part that worked; throws at the first that did not
 */
export async function check(client, { url, apiKey, image }) {
  const { createClient, errorBodyOf, followEvents, hasErrorCode, uploadMedia, verifyWebhook } = client;
  const done = [];
  let failures = 1;
  const lossy = async (address, init) => {
    failures -= 1;
    if (failures >= 0) throw new TypeError('no connection');
    return globalThis.fetch(address, init);
  };
  const carillon = createClient({ url, apiKey, fetch: lossy, retry: { firstDelayMs: 10 } });

  const text = `From ${globalThis.navigator?.userAgent ?? 'a runtime'} at ${Date.now()}`;
  const positions = [];
  const stop = new AbortController();
  const events = followEvents({ url, apiKey }, { signal: stop.signal, onPosition: (id) => positions.push(id) });
  const first = events.next();
  for (let turn = 0; positions.length === 0 && turn < 200; turn += 1) await new Promise((go) => setTimeout(go, 50));

  const { results } = await carillon.posts.create.mutate({ text, connectionSlugs: ['sandbox'] });
  equal(results[0]?.status, 'sent', 'status of the post');
  const { posts } = await carillon.posts.list.query({ limit: 1 });
  equal(posts[0]?.text, text, 'text of the post');
  done.push('posts, with a repeat');

  const { value: event } = await first;
  equal(event.event === 'post.sent' && event.post.text, text, 'streamed text');
  stop.abort();
  equal((await events.next()).done, true, 'end of the stream');
  done.push('a stream of events, ended by a signal');

  const bytes = Uint8Array.from(atob(image), (letter) => letter.charCodeAt(0));
  for (const form of [bytes, new Blob([bytes]), new Blob([bytes]).stream()]) {
    const media = await uploadMedia(carillon, form, { altText: 'A picture' });
    equal(media.contentType, 'image/png', 'type of the image');
  }
  done.push('uploads of bytes, a Blob and a stream');

  const thrown = await carillon.posts.get.query({ postId: 'x' }).catch((error) => error);
  equal(hasErrorCode(thrown, 'invalid_request'), true, 'code of the error');
  equal(errorBodyOf(thrown).error, 'invalid_request', 'error body');
  const refused = await createClient({ url: 'http://127.0.0.1:9', apiKey, retry: false })
    .posts.list.query({})
    .catch((error) => error.cause?.name);
  equal(refused, 'NoAnswerError', 'error without an answer');
  done.push('errors');

  const body = JSON.stringify({ eventId: 'e', event: 'post.sent', timestamp: '', post: {} });
  const at = Math.floor(Date.now() / 1000);
  const key = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode('whsec_secret'),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${at}.${body}`)));
  const v1 = [...signature].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const headers = new Headers({ 'x-service-signature': `t=${at},v1=${v1}` });
  equal((await verifyWebhook(body, headers, 'whsec_secret')).eventId, 'e', 'verified event');
  done.push('a webhook');
  return done;
}

function equal(actual, expected, what) {
  if (actual !== expected) throw new Error(`${what}: expected ${String(expected)}, not ${String(actual)}`);
}
