/** Requests with an Idempotency-Key, and the expected answer when they repeat. */
import type { RestAnswer, World } from '../harness/world.ts';
import type { Sampler } from './sampler.ts';
import { hold, markerOf, type Replica } from './replica.ts';

const KEPT_MS = 24 * 3_600_000;

interface StoredAnswer {
  readonly call: `POST /${string}`;
  readonly secret: string;
  readonly key: string;
  readonly body: object;
  /** Mark of its posts. */
  readonly mark: string;
  readonly at: number;
  /** The body of its answer; null when its process died before it could answer. */
  answer: string | null;
}

export interface Replays {
  /** Calls with a new key; stores the answer when it is one that is kept. */
  call(call: `POST /${string}`, secret: string, body: object, text: string): Promise<RestAnswer>;
  /**
   * Repeats a stored request and compares the answers; returns a description, or null when nothing is stored.
   * @param mark of the posts that it must have created
   */
  again(sampler: Sampler, replica: Replica, mark?: string): Promise<string | null>;
}

export function rememberRequests(world: World): Replays {
  let stored: StoredAnswer[] = [];
  let count = 0;
  const now = () => world.clock.now().getTime();
  const send = ({ call, secret, key }: Pick<StoredAnswer, 'call' | 'secret' | 'key'>, body: object) =>
    world.rest(call, { key: secret, body, headers: { 'idempotency-key': key } });

  return {
    call: async (call, secret, body, text) => {
      count += 1;
      const key = `key ${count}`;
      const answer = await send({ call, secret, key }, body);
      const request = { call, secret, key, body, mark: markerOf(text), at: now() };
      if (answer.status === 200 && JSON.stringify(answer.body).includes('"status"') && !keepsNothing(answer)) {
        stored.push({ ...request, answer: answer.bytes.toString() });
      } else if (answer.status === 500) {
        stored.push({ ...request, answer: null });
      }
      return answer;
    },
    again: async (sampler, replica, mark) => {
      stored = stored.filter(({ at }) => now() - at < KEPT_MS);
      const choice = mark === undefined ? stored : stored.filter((request) => request.mark === mark);
      if (choice.length === 0) return null;
      const request = sampler.pick(choice);
      const description = `replay of ${request.key} (${request.mark})`;
      if (sampler.chance(0.2)) {
        const other = await send(request, { ...request.body, tags: ['other'], timezone: undefined });
        const refused = request.call.endsWith('/publish') ? 400 : 409;
        hold(other.status === refused, '8 replays', () => `${description} with another body: ${other.status}`);
        return `${description} with another body -> ${other.status}`;
      }
      const pending =
        request.answer === null &&
        [...replica.posts.values()].some(
          (post) => post.status === 'processing' && markerOf(post.text) === request.mark,
        );
      const { status, headers, bytes } = await send(request, request.body);
      hold(status === (pending ? 409 : 200), '8 replays', () => `${description}: ${status} ${bytes.toString()}`);
      if (status === 200) {
        const answer = bytes.toString();
        hold(
          headers.get('idempotent-replayed') === 'true',
          '8 replays',
          () => `${description} does not say that it is one`,
        );
        hold(
          (request.answer ?? answer) === answer,
          '8 replays',
          () => `${description}: ${answer}, first ${request.answer}`,
        );
        request.answer = answer;
      }
      return `${description} -> ${status}`;
    },
  };
}

/** A draft that stays a draft was not published, and its request may repeat. */
function keepsNothing(answer: RestAnswer): boolean {
  return answer.body.result !== undefined && answer.body.result.error !== null && answer.body.result.status !== 'sent';
}
