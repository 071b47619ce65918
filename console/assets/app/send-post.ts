/** Sends one text to the selected connections. */
import { type Api, CallFailure, type Connection, type CreatePostInput, type PostResult } from './api.ts';

export interface Sending {
  readonly text: string;
  readonly connections: readonly Connection[];
  /** Local date and time in the format of the browser's field; null for now. */
  readonly wallTime: string | null;
  /** IANA time zone of `wallTime`. */
  readonly timezone: string;
}

const LOST_HINT = 'Press the button again without changing anything: what has gone out is not sent twice.';

/** Error codes of requests that may have started and may still be running. */
const MAY_HAVE_BEGUN = ['internal_server_error', 'idempotency_key_conflict'];

/** Idempotency keys of the requests whose response was lost, by request content. */
const unanswered = new Map<string, string>();

/** Sends one request per profile, because a slug is unique only within its profile. */
export async function sendPost(api: Api, sending: Sending): Promise<PostResult[]> {
  const { text, connections, wallTime, timezone } = sending;
  const groups = Map.groupBy(connections, ({ profileId }) => profileId);
  const answers = [...groups].map(([profileId, members]) =>
    sendOnce(api, {
      text,
      connectionSlugs: members.map(({ slug }) => slug),
      ...(wallTime === null ? {} : { scheduledFor: wallTime, timezone }),
      ...(profileId === null ? {} : { profileId }),
    }),
  );
  return (await Promise.all(answers)).flat();
}

/** After a lost response, the same request reuses its key, so that it is never executed twice. */
async function sendOnce(api: Api, body: CreatePostInput): Promise<PostResult[]> {
  const asked = JSON.stringify(body);
  const idempotencyKey = unanswered.get(asked) ?? newKey();
  unanswered.set(asked, idempotencyKey);
  try {
    const { results } = await create(api, { ...body, idempotencyKey });
    unanswered.delete(asked);
    return results;
  } catch (failure) {
    // If the service refused a request with a specific error code, it did not start. After an internal error, it
    // may have.
    const begun = !(failure instanceof CallFailure) || failure.code === null || MAY_HAVE_BEGUN.includes(failure.code);
    if (!begun) unanswered.delete(asked);
    throw failure;
  }
}

function create(api: Api, input: CreatePostInput) {
  return api.mutate('posts', 'create', input, LOST_HINT);
}

/** 128 random bits; `crypto.randomUUID` is missing if the console is served without TLS. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
