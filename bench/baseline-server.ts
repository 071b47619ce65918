/**
 * The baseline for the service: Fastify and a database driver that do the same reads and the same durable writes,
 * without keys, limits or validation. The bench starts it with PORT, DATABASE_URL or DATA_DIR, and POST_ID, a post that
 * the service has published.
 */
import { PGlite } from '@electric-sql/pglite';
import Fastify from 'fastify';
import { Pool } from 'pg';
import { v7 } from 'uuid';
import { postView, SHOWN_POST, type ShownPostRow } from '../services/posts/post-view.ts';
import { copier } from './copier.ts';

/** Connections to the database, as many as the pool of the service has. */
const POOL_SIZE = 10;

const query = await openDatabase();
const postId = process.env['POST_ID'] ?? '';
const [model] = await query<{ account_id: string }>('select account_id from posts where id = $1', [postId]);
if (model === undefined) throw new Error(`there is no post ${postId}`);

const copyPost = await copier(query, 'posts', 'id = $1', postId);
const copyAttempt = await copier(query, 'attempts', 'post_id = $1', postId);
const copyEvent = await copier(query, 'events', 'subject_id = $1', postId);
const copySandboxPost = await copier(
  query,
  'sandbox_posts',
  'id = (select platform_post_id::uuid from posts where id = $1)',
  postId,
);

const LIST = `select ${SHOWN_POST.sql} from posts where account_id = $1 order by id desc limit $2`;

const app = Fastify();

const NO_APPROVALS = new Map();

app.get('/', async () => 'ok');

app.get<{ Querystring: { limit: string } }>('/api/v2/posts', async (request) => {
  const limit = Number(request.query.limit);
  const rows = await query<ShownPostRow>(LIST, [model.account_id, limit]);
  const nextCursor = rows.length < limit ? null : (rows.at(-1)?.id ?? null);
  return { posts: rows.map((row) => postView(row, NO_APPROVALS)), limit, offset: 0, nextCursor };
});

// Three commits, as in the service: the ledger before the platform is called, the platform's, and the outcome.
app.post<{ Body: { text: string; connectionSlugs: string[] } }>('/api/v2/posts', async (request) => {
  const { text, connectionSlugs } = request.body;
  const [id, attemptId, sandboxPostId, now] = [v7(), v7(), v7(), new Date().toISOString()];
  const url = `http://localhost/sandbox/${sandboxPostId}`;
  await storePost({ id, attemptId, text, now });
  const sandboxPost = copySandboxPost({ id: sandboxPostId, token: attemptId, text, created_at: now });
  await query(sandboxPost.sql, sandboxPost.parameters);
  await settlePost({ id, attemptId, sandboxPostId, url, now });
  const result = { connectionSlug: connectionSlugs[0], status: 'sent', postId: id, url, scheduledFor: null };
  return { results: [{ ...result, threadCount: 0, hasFirstComment: false, error: null }] };
});

await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));

async function storePost(post: { id: string; attemptId: string; text: string; now: string }): Promise<void> {
  const { id, attemptId, text, now } = post;
  const claimedUntil = new Date(Date.parse(now) + 60_000).toISOString();
  const unsent = { status: 'processing', url: null, platform_post_id: null, sent_at: null };
  const stored = copyPost({
    ...unsent,
    id,
    text,
    original_text: text,
    created_at: now,
    claim: v7(),
    claimed_until: claimedUntil,
  });
  const unsettled = { state: 'sending', settled_at: null, platform_post_id: null, url: null };
  const opened = copyAttempt(
    { ...unsettled, id: attemptId, post_id: id, token: attemptId, started_at: now },
    stored.parameters.length,
  );
  await query(`with stored as (${stored.sql}) ${opened.sql}`, [...stored.parameters, ...opened.parameters]);
}

interface Outcome {
  readonly id: string;
  readonly attemptId: string;
  readonly sandboxPostId: string;
  readonly url: string;
  readonly now: string;
}

async function settlePost({ id, attemptId, sandboxPostId, url, now }: Outcome): Promise<void> {
  const values = [id, attemptId, sandboxPostId, url, now];
  const event = copyEvent({ id: v7(), subject_id: id, created_at: now }, values.length);
  const sql = `
    with sent as (
      update posts set status = 'sent', url = $4, platform_post_id = $3, sent_at = $5::timestamptz, claim = null, claimed_until = null
      where id = $1::uuid
    ), settled as (
      update attempts set state = 'accepted', url = $4, platform_post_id = $3, settled_at = $5::timestamptz where id = $2::uuid
    ) ${event.sql}`;
  await query(sql, [...values, ...event.parameters]);
}

async function openDatabase(): Promise<<Row>(sql: string, parameters: unknown[]) => Promise<Row[]>> {
  const connectionString = process.env['DATABASE_URL'];
  if (connectionString !== undefined) {
    const pool = new Pool({ connectionString, max: POOL_SIZE });
    return async <Row>(sql: string, parameters: unknown[]) => (await pool.query(sql, parameters)).rows as Row[];
  }
  const lite = await PGlite.create(process.env['DATA_DIR'] ?? '');
  return async <Row>(sql: string, parameters: unknown[]) => (await lite.query<Row>(sql, parameters)).rows;
}
