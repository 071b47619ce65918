/** Sends one text to the chosen connections. */
import { type Api, CallFailure, type Connection, type CreatePostInput, type PostResult } from './api.ts';

export interface Sending {
  readonly text: string;
  readonly connections: readonly Connection[];
  /** Local date and time as the browser's field gives it; null for now. */
  readonly wallTime: string | null;
  /** IANA zone in which `wallTime` is read. */
  readonly timezone: string;
}

const LOST_HINT = 'Press the button again without changing anything: what has gone out is not sent twice.';

/** Codes of requests that may have been begun, and be running still. */
const MAY_HAVE_BEGUN = ['internal_server_error', 'idempotency_key_conflict'];

/** Idempotency keys of the requests whose answer was lost, by what was asked. */
const unanswered = new Map<string, string>();

/** One request for each profile, as a slug means a connection only within its profile. */
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

/** The same request after a lost answer carries the same key, so that it is never done twice. */
async function sendOnce(api: Api, body: CreatePostInput): Promise<PostResult[]> {
  const asked = JSON.stringify(body);
  const idempotencyKey = unanswered.get(asked) ?? newKey();
  unanswered.set(asked, idempotencyKey);
  try {
    const { results } = await create(api, { ...body, idempotencyKey });
    unanswered.delete(asked);
    return results;
  } catch (failure) {
    // Whatever the service refused by a code of its own was not begun; a fault of its own may have been.
    const begun = !(failure instanceof CallFailure) || failure.code === null || MAY_HAVE_BEGUN.includes(failure.code);
    if (!begun) unanswered.delete(asked);
    throw failure;
  }
}

function create(api: Api, input: CreatePostInput) {
  return api.mutate('posts', 'create', input, LOST_HINT);
}

/** 128 random bits; `crypto.randomUUID` is missing where the console is served without TLS. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
