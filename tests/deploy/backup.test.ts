/** The backups of compose.yaml, made of a PostgreSQL database and restored into another one (docs/guide/containers.md). */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { blocksOf, commandsOf } from '../docs/code-blocks.ts';
import { databaseUrl, onServer, TEST_DATABASE_URL } from '../harness/database.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const SCRIPT = join(ROOT, 'deploy/backup.sh');
const GUIDE = join(ROOT, 'docs/guide/containers.md');
const IN_CONTAINER = ['docker', 'compose', 'exec', 'backup'];
const name = `carillon_backup_${process.pid}`;

let folder: string;
let media: string;

function backUp(database = name, path = process.env['PATH']) {
  return run('bash', [SCRIPT, 'once'], { env: { ...environment(database), PATH: path } });
}

/** A backup with these scripts in place of commands. */
async function backUpWith(scripts: Readonly<Record<string, string>>) {
  const commands = await mkdtemp(join(tmpdir(), 'carillon-commands-'));
  onTestFinished(() => rm(commands, { recursive: true, force: true }));
  for (const [command, script] of Object.entries(scripts)) {
    await writeFile(join(commands, command), `#!/bin/bash\n${script}\n`);
    await chmod(join(commands, command), 0o755);
  }
  return backUp(name, `${commands}:${process.env['PATH']}`);
}

/** A backup with an `rm` that does this when it is to remove an old backup. */
const backUpRemoving = (script: string) =>
  backUpWith({ rm: `if [[ "$*" == *carillon-old* ]]; then ${script}; fi\nexec /bin/rm "$@"` });

/** Makes a backup of some days ago. */
async function addBackup(entry: string, days: number) {
  const at = new Date(new Date().getTime() - days * 86_400_000);
  await mkdir(join(folder, entry));
  await writeFile(join(folder, entry, 'database.dump'), 'a dump');
  await utimes(join(folder, entry), at, at);
}

function environment(database: string) {
  const { hostname, port, username, password } = new URL(databaseUrl(database));
  return {
    ...process.env,
    PGHOST: hostname,
    PGPORT: port || '5432',
    PGUSER: username,
    PGPASSWORD: password,
    PGDATABASE: database,
    BACKUP_DIR: folder,
    MEDIA_DIR: media,
    BACKUP_KEEP_DAYS: '14',
  };
}

/** The commands with which the guide replaces the database by that of a backup, without the container around them. */
const RESTORE = blocksOf(GUIDE)
  .filter(({ code }) => code.includes('pg_restore'))
  .flatMap(({ code }) => commandsOf(code))
  .filter((words) => words.slice(0, IN_CONTAINER.length).join() === IN_CONTAINER.join())
  .map((words) => words.slice(IN_CONTAINER.length));

/** Restores a backup over a database as the guide says. @param role whose rights the commands have, instead of a superuser's */
async function restore(backup: string, database: string, role?: string) {
  const env = { ...environment(database), ...(role === undefined ? {} : { PGOPTIONS: `-c role=${role}` }) };
  const placed = (word: string) =>
    word.replace(/\/backups\/NAME|\/tmp(?=\/)/, (path) => (path === '/tmp' ? media : join(folder, backup)));
  for (const [command = '', ...words] of RESTORE) await run(command, words.map(placed), { env });
}

/** Makes a role that is removed when the test ends, with the database in which it has rights. */
async function newRole(kind: string) {
  const role = `${name}_${kind}`;
  await onServer(`create role ${role}`);
  onTestFinished(async () => {
    await onServer(`drop database if exists ${name} with (force)`);
    await onServer(`drop role ${role}`);
  });
  return role;
}

/** Makes a backup, and then what a later version adds: a table that refers to a table of the backup. */
async function backUpAndUpgrade() {
  await backUp();
  await query(name, "create table ringers (bell int references bells); insert into bells values (2, 'Great Tom')");
  const [made = ''] = await backups();
  return made;
}

/** What is in the folder, apart from the lock and the images of these tests. */
const backups = async () => (await readdir(folder)).filter((entry) => !['.lock', '.media'].includes(entry));

const query = async (database: string, sql: string) =>
  (await run('psql', ['--no-psqlrc', '--tuples-only', '--no-align', databaseUrl(database), '--command', sql])).stdout;

describe.skipIf(TEST_DATABASE_URL === undefined)('a backup of the Compose file', () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carillon-backups-'));
    media = join(folder, '.media');
    await mkdir(media);
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await onServer(`create database ${name}`);
    onTestFinished(() => onServer(`drop database if exists ${name} with (force)`));
    await query(name, "create table bells (id int primary key, name text); insert into bells values (1, 'Emma')");
    await writeFile(join(media, 'image.png'), 'an image');
  });

  it('holds the database and the images, with their checksums, and restores', async () => {
    await backUp();

    const [made = '', ...others] = await backups();
    expect([made, others]).toEqual([expect.stringMatching(/^carillon-\d{8}T\d{6}Z$/), []]);
    const backup = join(folder, made);
    expect((await readdir(backup)).toSorted()).toEqual(['SHA256SUMS', 'database.dump', 'media.tar']);
    await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: backup });
    const restored = `${name}_restored`;
    await onServer(`create database ${restored}`);
    onTestFinished(() => onServer(`drop database if exists ${restored} with (force)`));
    await restore(made, restored);
    expect(await query(restored, 'select * from bells')).toBe('1|Emma\n');
    await run('tar', ['-xf', 'media.tar', './image.png'], { cwd: backup });
    expect(await readFile(join(backup, 'image.png'), 'utf8')).toBe('an image');
  });

  it('restores over the tables of a later version, for an owner who is no superuser, and others keep their rights', async () => {
    const [owner, reader] = [await newRole('owner'), await newRole('reader')];
    await onServer(`alter database ${name} owner to ${owner}`);
    await query(name, `alter table bells owner to ${owner}; grant select on bells to ${reader}`);
    const backup = await backUpAndUpgrade();

    await restore(backup, name, owner);

    expect(await query(name, 'select * from bells')).toBe('1|Emma\n');
    expect(await query(name, "select tablename, tableowner from pg_tables where schemaname = 'public'")).toBe(
      `bells|${owner}\n`,
    );
    expect(await query(name, "select nspowner::regrole from pg_namespace where nspname = 'public'")).toBe(
      'pg_database_owner\n',
    );
    expect(await query(name, `set role ${reader}; select * from bells`)).toBe('SET\n1|Emma\n');
  });

  it('of which a part cannot be restored leaves the database as it was', async () => {
    const owner = await newRole('owner');
    await onServer(`alter database ${name} owner to ${owner}`);
    const backup = await backUpAndUpgrade();

    // Its table belongs to a superuser, to whom only a superuser may give it.
    await expect(restore(backup, name, owner)).rejects.toThrow(/must be (?:member of|able to SET) role/i);

    expect(await query(name, 'select * from bells')).toBe('1|Emma\n2|Great Tom\n');
    expect(await query(name, 'select * from ringers')).toBe('');
  });

  it('that fails leaves nothing that looks like one, and the next removes what is left', async () => {
    await expect(backUp('carillon_missing')).rejects.toThrow('carillon_missing');
    expect((await readdir(folder)).filter((entry) => entry.startsWith('carillon-'))).toEqual([]);

    await backUp();

    expect(await backups()).toEqual([expect.stringMatching(/^carillon-/)]);
  });

  it('that fails in the daily loop is reported, and neither published nor a reason to remove older ones', async () => {
    await addBackup('carillon-old', 16);
    const loop = spawn('bash', [SCRIPT], { env: environment('carillon_missing'), detached: true });
    onTestFinished(() => void process.kill(-(loop.pid ?? 0), 'SIGKILL'));
    let reported = '';
    loop.stderr.setEncoding('utf8').on('data', (text: string) => (reported += text));

    await expect.poll(() => reported).toContain('the backup failed');

    expect(reported).toContain('carillon_missing');
    expect((await readdir(folder)).filter((entry) => entry.startsWith('carillon-'))).toEqual(['carillon-old']);
  });

  it('makes its folder', async () => {
    folder = join(folder, 'new');

    await backUp();

    expect(await backups()).toEqual([expect.stringMatching(/^carillon-/)]);
  });

  it('of the same second as another one gets the next second, and both are whole', async () => {
    // The second passes while the script sleeps.
    const date = 'if [ -e "$BACKUP_DIR/.media/slept" ]; then echo 20261126T120001Z; else echo 20261126T120000Z; fi';
    const scripts = { date, sleep: 'touch "$BACKUP_DIR/.media/slept"' };

    await backUpWith(scripts);
    await backUpWith(scripts);

    const made = (await backups()).toSorted();
    expect(made).toEqual(['carillon-20261126T120000Z', 'carillon-20261126T120001Z']);
    for (const backup of made) {
      expect((await readdir(join(folder, backup))).toSorted()).toEqual(['SHA256SUMS', 'database.dump', 'media.tar']);
    }
  });

  it('waits for another one, and leaves what that has written so far', async () => {
    await mkdir(join(folder, '.partial-other'));
    const other = spawn('flock', [join(folder, '.lock'), 'sh', '-c', 'echo locked; read line; ls -A "$0"', folder]);
    onTestFinished(() => void other.kill('SIGKILL'));
    await once(other.stdout, 'data');
    const waiting = spawn('bash', [SCRIPT, 'once'], { env: environment(name) });
    const ended = once(waiting, 'exit');
    const [said] = (await once(waiting.stderr.setEncoding('utf8'), 'data')) as [string];
    let seen = '';
    other.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text));

    other.stdin.end('\n');

    expect(await ended).toEqual([0, null]);
    expect(said).toBe('waiting for the backup that is being made\n');
    expect(seen.split('\n').filter(Boolean).toSorted()).toEqual(['.lock', '.media', '.partial-other']);
    expect((await readdir(folder)).filter((entry) => entry.startsWith('.partial'))).toEqual([]);
  });

  it('removes backups that are older than the days to keep, and only those', async () => {
    await addBackup('carillon-old', 14);
    await addBackup('carillon-recent', 13.9);
    await addBackup('of-someone-else', 99);

    await backUp();

    const left = await backups();
    expect(left.toSorted()).toEqual([expect.stringMatching(/^carillon-\d/), 'carillon-recent', 'of-someone-else']);
  });

  it('stays for a day when no days are to be kept', async () => {
    await run('bash', [SCRIPT, 'once'], { env: { ...environment(name), BACKUP_KEEP_DAYS: '0' } });

    expect(await backups()).toEqual([expect.stringMatching(/^carillon-\d/)]);
  });

  it('that cannot remove older ones is made and says so, and the next removes them', async () => {
    await addBackup('carillon-old', 16);

    const { stdout, stderr } = await backUpRemoving('exit 1');

    expect(stdout).toMatch(/^wrote .*\/carillon-\d{8}T\d{6}Z\n$/);
    expect(stderr).toBe('older backups could not be removed; the next backup tries again\n');
    await backUp();
    expect((await backups()).filter((entry) => entry.includes('old'))).toEqual([]);
  });

  it('that is killed while it removes an older one leaves no half of it that looks like one', async () => {
    await addBackup('carillon-old', 16);

    await backUpRemoving('/bin/rm "$BACKUP_DIR"/*carillon-old/database.dump; kill -9 $PPID; exit 1').catch(
      () => undefined,
    );

    const left = await backups();
    expect(left.filter((entry) => entry.includes('old'))).toEqual(['.removed-carillon-old']);
    await backUp();
    expect((await backups()).filter((entry) => !/^carillon-\d/.test(entry))).toEqual([]);
  });
});
