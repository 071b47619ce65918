/** A fetch for the client that fails as a script says before it reaches the service, and a clock that does not wait. */
import { withDefaults, type Clock } from '../../client/runtime.ts';

/** What happens to one request: it gets through, nothing answers, its answer is lost, or something else answers. */
export type Step = 'pass' | 'refused' | 'answer lost' | Response;

export interface ScriptedFetch {
  /** Options of a client. */
  readonly runtime: Required<Pick<ReturnType<typeof withDefaults>, 'fetch' | 'clock' | 'random'>>;
  /** Each request, as `POST /trpc/posts.create`. */
  readonly requests: string[];
  /** The body of each request. */
  readonly bodies: string[];
  /** Each wait in milliseconds. */
  readonly waits: number[];
}

/** @param steps one for each request; after the last one all pass */
export function scriptedFetch(
  steps: readonly Step[],
  { now = () => Date.now() }: { now?: () => number } = {},
): ScriptedFetch {
  const left = [...steps];
  const requests: string[] = [];
  const bodies: string[] = [];
  const waits: number[] = [];
  const clock: Clock = {
    now,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      // The watch over a silent stream would end it at once.
      if (ms === 45_000)
        return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('over'))));
      waits.push(ms);
    },
  };
  const scripted = async (url: string, init: RequestInit) => {
    const step = left.shift() ?? 'pass';
    requests.push(`${init.method ?? 'GET'} ${new URL(url).pathname}`);
    bodies.push(typeof init.body === 'string' ? init.body : '');
    if (step === 'refused') throw new TypeError('fetch failed');
    if (step instanceof Response) return step;
    const response = await fetch(url, init);
    if (step === 'pass') return response;
    await response.arrayBuffer();
    return new Response(new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) }), {
      headers: response.headers,
    });
  };
  // Half of each doubled delay, exactly.
  const random = (length: number) => new Uint8Array(length);
  return { runtime: { fetch: scripted, clock, random }, requests, bodies, waits };
}
