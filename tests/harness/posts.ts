/** Posts for tests, and readers of their recorded outcomes. */
import type { World } from './world.ts';

export interface TestResult {
  readonly connectionSlug: string;
  readonly status: string;
  readonly postId: string;
  readonly url: string | null;
  readonly scheduledFor: string | null;
  readonly error: { code: string; message: string } | null;
}

/** Posts over the API to one connection and returns its result. */
export async function makePost(
  world: World,
  connectionSlug: string,
  options: {
    key?: string;
    text?: string;
    scheduledFor?: string;
    queue?: boolean;
    profileId?: string;
    tags?: readonly string[];
    media?: readonly object[];
  } = {},
): Promise<TestResult> {
  const { key = world.liveKey, text = 'Hello', ...fields } = options;
  const { status, body } = await world.rest('POST /posts', {
    key,
    body: { text, connectionSlugs: [connectionSlug], ...fields },
  });
  if (status !== 200) throw new Error(`the post was not taken: ${JSON.stringify(body)}`);
  return body.results[0];
}

export interface EventRow {
  readonly id: string;
  readonly account_id: string;
  readonly profile_id: string | null;
  readonly name: string;
  readonly mode: string;
  readonly payload: unknown;
  readonly created_at: string;
}

/** The events about one post or connection, oldest first. */
export async function eventsAbout(world: World, subjectId: string): Promise<EventRow[]> {
  const rows = await world.sql<EventRow>(
    'select id, account_id, profile_id, name, mode, payload, created_at from events where subject_id = $1 order by id',
    [subjectId],
  );
  return rows.map((row) => ({ ...row, created_at: new Date(row.created_at).toISOString() }));
}

export interface SandboxRow {
  readonly id: string;
  readonly account_id: string;
  readonly text: string;
  readonly calls: number;
  readonly is_up: boolean;
}

/** The sandbox posts of one connection, oldest first. */
export function sandboxOf(world: World, connectionId: string): Promise<SandboxRow[]> {
  return world.sql<SandboxRow>(
    `select s.id, s.account_id, s.text, s.calls, s.deleted_at is null as is_up
     from sandbox_posts s join connections c on c.platform_account_id = s.account_id::text
     where c.id = $1 order by s.id`,
    [connectionId],
  );
}
