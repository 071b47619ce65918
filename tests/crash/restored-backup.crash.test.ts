/**
 * A dump is restored with the documented commands: into the database of running processes, where what went out since is held
 * and not sent again (docs/decisions/0086-hold-due-posts-after-a-restore.md), and over the schema of a later version.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../entities/migrations/index.ts';
import { openPostgres } from '../../entities/orm.ts';
import { startFakeMastodon } from '../platforms/fakes/fake-mastodon.ts';
import { post, type PostBody, postOf, settled } from './posts.ts';
import { createOldDatabase, SUM_OF_ROWS } from '../proof/kills/old-database.ts';
import { createInstall } from './install.ts';
import { DUMP, restoreAsDocumented } from './restore-as-documented.ts';
import { ENGINE, freePort, type Install, newFolder, newInstall, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

const OPERATOR_TOKEN = 'operator-token-of-at-least-32-characters';
const CREATE = 'POST /api/v1/statuses';
const COUNT = 5;

/** A dump of the present database, and how to go back to it. */
async function dumped({ databaseUrl = '' }: Install): Promise<{ restore(): void }> {
  const folder = await newFolder();
  execFileSync('pg_dump', ['--format=custom', `--file=${join(folder, DUMP)}`, `--dbname=${databaseUrl}`]);
  return { restore: () => restoreAsDocumented(folder, databaseUrl) };
}

/** Asks the operator's endpoint of a process. */
async function operate(server: ServerProcess, call: `${string} /${string}`, body?: unknown): Promise<unknown> {
  const [method = '', path = ''] = call.split(' ', 2);
  const response = await fetch(`${server.url}/operator${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

const held = (web: ServerProcess, decision?: string) =>
  (decision === undefined ? operate(web, 'GET /restore') : operate(web, 'POST /restore', { decision })) as Promise<{
    readonly heldUntil: string | null;
    readonly posts: number;
  }>;

/** What tells whose rows and whose schema a database has. */
async function stateOf(install: Install) {
  const [rows] = await install.sql<{ sum: string }>(SUM_OF_ROWS);
  const names = await install.sql<{ name: string }>('select name from mikro_orm_migrations order by id');
  const profiles = await install.sql('select name from profiles order by name');
  return { sum: rows?.sum, migrations: names.map(({ name }) => name), profiles };
}

describe.runIf(ENGINE === 'postgres')('on PostgreSQL', () => {
  it('posts that went out after the dump are held by running and by restarted workers, and found when looked up', async () => {
    const platform = await startFakeMastodon({ now: () => new Date() });
    onTestFinished(() => platform.close());
    platform.addAccount('alice', 'token');
    const install = await newInstall({ OPERATOR_TOKEN });
    const web = await install.start({ ROLE: 'web' });
    const PORT = String(await freePort());
    const first = await install.start({ ROLE: 'worker', PORT });
    const credentials = { instanceUrl: platform.url, accessToken: 'token' };
    await web.rest('POST /connections', { body: { platformId: 'mastodon', slug: 'alice', credentials } });
    const due = new Date(Date.now() + 4_000);
    const texts = Array.from({ length: COUNT }, (_, index) => `post ${index}`);
    const ids = await Promise.all(texts.map(async (text) => (await post(web, 'alice', text, due)).postId as string));
    const backup = await dumped(install);
    const sent = await Promise.all(ids.map((id) => settled(web, id)));
    expect(sent.map(({ status }) => status)).toEqual(ids.map(() => 'sent'));

    backup.restore();

    const hold = await waitUntil('the restore is noticed', async () => {
      const answer = await held(web).catch(() => null);
      return answer?.heldUntil != null && answer;
    });
    expect(hold.posts).toBe(COUNT);
    await first.stop();
    const second = await install.start({ ROLE: 'worker', PORT });
    const later = await post(web, 'alice', 'later', new Date(Date.now() + 1_000));
    expect(await settled(web, later.postId)).toMatchObject({ status: 'sent' });
    const waiting = (await web.rest('GET /posts?status=scheduled')).body.posts as PostBody[];
    expect(new Set(waiting.map(({ id }) => id))).toEqual(new Set(ids));

    await held(web, 'settle');

    await waitUntil('the held posts are settled', async () => (await held(web)).heldUntil === null);
    for (const [index, id] of ids.entries()) {
      expect(await postOf(web, id)).toMatchObject({ status: 'sent', platformPostId: sent[index]?.platformPostId });
    }
    expect(platform.calls[CREATE]).toBe(COUNT + 1);
    expect(platform.posts()).toHaveLength(COUNT + 1);
    await second.stop();
  });
  it('a dump of the first release replaces the newest schema with all its rows, and the next start migrates it', async () => {
    const template = await createOldDatabase({ deferToEnd: (end) => onTestFinished(async () => void (await end())) });
    const install = await createInstall({ dataDir: await newFolder(), settings: { OPERATOR_TOKEN }, template });
    onTestFinished(() => install[Symbol.asyncDispose]());
    const before = await stateOf(install);
    const backup = await dumped(install);
    const upgraded = await install.start();
    const { accounts } = (await operate(upgraded, 'GET /accounts')) as { accounts: { id: string }[] };
    const made = await operate(upgraded, `POST /accounts/${accounts[0]?.id}/keys`, { type: 'live', name: 'Later' });
    const { secret: key } = made as { secret: string };
    expect((await upgraded.rest('POST /profiles', { key, body: { name: 'Later' } })).status).toBe(200);
    await upgraded.stop();
    const after = await stateOf(install);

    backup.restore();

    expect(await stateOf(install)).toEqual(before);
    await (await install.start()).stop();
    expect(after).toMatchObject({ migrations: migrations.map(({ name }) => name), profiles: [{ name: 'Later' }] });
    expect(await stateOf(install)).toEqual({ ...after, sum: before.sum, profiles: [] });
    const database = await openPostgres(install.databaseUrl ?? '');
    onTestFinished(() => database.close());
    expect(await database.schemaDifference()).toBe('');
  });
});
