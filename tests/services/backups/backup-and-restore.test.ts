/** Backups of a running install on the embedded database, and what a restored one does. */
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupCommand } from '../../../cli/backup-command.ts';
import { restoreCommand } from '../../../cli/restore-command.ts';
import { readConfig } from '../../../server/config.ts';
import { startInstall } from '../../../server/install.ts';
import { type EmbeddedInstall, newFolder, startEmbedded } from '../../harness/embedded-install.ts';
import { plain } from '../../harness/images.ts';
import { LIVE_KEY } from '../../harness/world.ts';
import { startFakeMastodon } from '../../platforms/fakes/fake-mastodon.ts';

const CREATE = 'POST /api/v1/statuses';
const TOKEN = 'a-token-of-mastodon';
const OTHER_KEY = Buffer.alloc(32, 1).toString('base64');
const PNG = await plain(12, 8).png().toBuffer();

const platform = await startFakeMastodon({ now: () => new Date('2027-03-01T09:00:00Z') });
afterAll(() => platform.close());
platform.addAccount('alice', TOKEN);

/** Runs `npm run carillon -- backup` without a server. */
const offline = (...args: string[]) => backupCommand(fetch, args, {});

async function upload(install: EmbeddedInstall): Promise<string> {
  const headers = { 'x-api-key': LIVE_KEY, 'content-type': 'image/png' };
  const answer = await fetch(`${install.url}/api/v2/media`, { method: 'POST', headers, body: new Uint8Array(PNG) });
  return ((await answer.json()) as { media: { id: string } }).media.id;
}

const [dataDir, target] = [await newFolder(), await newFolder()];
const install = await startEmbedded(dataDir);
const credentials = { instanceUrl: platform.url, accessToken: TOKEN };
await install.rest('POST /connections', { platformId: 'mastodon', slug: 'alice', credentials });
const image = await upload(install);
const schedule = async (text: string, scheduledFor: string, mediaIds: string[] = []) => {
  const post = { text, connectionSlugs: ['alice'], scheduledFor, media: mediaIds.map((id) => ({ id })) };
  return (await install.rest('POST /posts', post)).results[0].postId as string;
};
const soon = await schedule('soon', '2027-03-01T08:10:00Z');
const later = await schedule('later', '2027-03-01T12:00:00Z', [image]);
const posting = Array.from({ length: 20 }, (_, index) => schedule(`meanwhile ${index}`, '2027-03-20T08:00:00Z'));
const printed = await backupCommand(fetch, ['create', '--to', target], install.env);
await Promise.all(posting);
const backup = printed.split('\n')[0] ?? '';
const manifest = JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8'));

describe('a backup', () => {
  it('has the database, the images and the key in separate files that others cannot read', async () => {
    const files = ['database.tar.gz', 'images.tar', 'keys.json', 'manifest.json'];
    expect((await readdir(backup)).toSorted()).toEqual(files);
    const modes = await Promise.all([backup, ...files.map((file) => join(backup, file))].map((path) => stat(path)));
    expect(modes.map(({ mode }) => mode & 0o077)).toEqual([0, 0, 0, 0, 0]);
    expect(manifest).toMatchObject({ format: 1, version: '2.0.0', origin: 'operator', images: 1 });
    expect(printed).toMatch(/MB, 1 images, with the encryption key\n$/);
    expect(await readdir(target)).toEqual([backup.slice(target.length + 1)]);
    expect(await readdir(dataDir)).not.toContain('backup-images.partial');
  });

  it('is listed in BACKUP_DIR, and an interrupted one is not', async () => {
    expect(await backupCommand(fetch, ['list'], install.env)).toBe(
      `There are no backups in ${join(dataDir, 'backups')}. Make one: backup create\n`,
    );
    const path = (await backupCommand(fetch, ['create'], install.env)).split('\n')[0] ?? '';
    await cp(path, join(dataDir, 'backups', '.carillon-1.partial'), { recursive: true });

    const listed = await backupCommand(fetch, ['list'], install.env);

    expect(listed.split('\n').filter((line) => line.startsWith('/'))).toEqual([path]);
  });

  it('is verified: a missing, short or changed part is named', async () => {
    expect(await offline('verify', backup)).toMatch(/^The backup is complete\.\n/);
    const copy = join(await newFolder(), 'copy');
    await cp(backup, copy, { recursive: true });
    const images = await readFile(join(copy, 'images.tar'));
    images[600] = 255 - (images[600] ?? 0);
    await writeFile(join(copy, 'images.tar'), images);
    await expect(offline('verify', copy)).rejects.toThrow('images.tar is damaged: its SHA-256');
    await writeFile(join(copy, 'images.tar'), images.subarray(1));
    await expect(offline('verify', copy)).rejects.toThrow(
      `has ${images.length - 1} bytes instead of ${images.length}.`,
    );
    await rm(join(copy, 'images.tar'));
    await expect(offline('verify', copy)).rejects.toThrow('images.tar is missing.');
    await expect(offline('verify', dataDir)).rejects.toThrow('is not a backup: it has no manifest.json.');
  });
});

describe('a restore is refused, and changes nothing', () => {
  it('while a server has the folder', async () => {
    await expect(offline('restore', backup, '--data-dir', dataDir, '--replace')).rejects.toThrow(
      'is in use by another Carillon server',
    );
  });

  it('into a folder with an install, without --replace', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'encryption.key'), 'a key');

    await expect(offline('restore', backup, '--data-dir', folder)).rejects.toThrow(
      `${folder} has an install (encryption.key). Choose an empty folder, or move what is there aside with --replace.`,
    );
    expect(await readFile(join(folder, 'encryption.key'), 'utf8')).toBe('a key');
  });

  it.each([
    ['a newer format', { format: 2 }, 'has the format 2, and this version reads up to 1.'],
    ['a newer schema', { migrations: [...manifest.migrations, '20990101-new'] }, 'does not know 20990101-new.'],
    ['other keys', { keyMarks: ['AAAAAAAA'] }, 'needs the keys with the marks AAAAAAAA'],
    ['other migrations', { migrations: manifest.migrations.slice(1) }, 'has other migrations than its manifest says.'],
    ['a damaged manifest', { parts: {} }, 'manifest.json is damaged: parts.database'],
    [
      'keys of the environment',
      { parts: { ...manifest.parts, keys: undefined } },
      'and ENCRYPTION_KEYS does not have them.',
    ],
  ])('of a backup with %s', async (_what, change, message) => {
    const [copy, folder] = [join(await newFolder(), 'copy'), await newFolder()];
    await cp(backup, copy, { recursive: true });
    await writeFile(join(copy, 'manifest.json'), JSON.stringify({ ...manifest, ...change }));

    await expect(offline('restore', copy, '--data-dir', folder)).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual(['lock']);
  });
});

describe('a backup whose keys.json is kept elsewhere', () => {
  const KEY_FILE = 'encryption.key';
  let copy: string;
  /** Folder with the file that is kept, and with one of another install. */
  let safe: string;
  let key: string;

  beforeAll(async () => {
    [copy, safe] = [join(await newFolder(), 'copy'), await newFolder()];
    await cp(backup, copy, { recursive: true });
    await rename(join(copy, 'keys.json'), join(safe, 'keys.json'));
    await writeFile(join(safe, 'other.json'), JSON.stringify({ [KEY_FILE]: OTHER_KEY }));
    key = JSON.parse(await readFile(join(safe, 'keys.json'), 'utf8'))[KEY_FILE];
  });

  /** The content of the key file, or null, of the folder into which it is restored. */
  async function restoredKey(env: Readonly<Record<string, string>>, ...options: string[]): Promise<string | null> {
    const folder = await newFolder();
    const restored = await backupCommand(fetch, ['restore', copy, '--data-dir', folder, ...options], env);
    expect(restored).toContain(`${folder} has the install of ${manifest.createdAt}.`);
    expect((await readdir(folder)).toSorted()).toEqual(expect.arrayContaining(['db', 'media']));
    const path = join(folder, KEY_FILE);
    const found = await stat(path).catch(() => null);
    if (found === null) return null;
    expect(found.mode & 0o077).toBe(0);
    return readFile(path, 'utf8');
  }

  it('is verified, and says where its keys are', async () => {
    expect(await offline('verify', copy)).toMatch(
      /^The backup is complete\.\n.*, 1 images, its keys\.json is kept elsewhere\n$/,
    );
  });

  it('is listed so', async () => {
    await cp(copy, join(dataDir, 'backups', 'carillon-20270101T000000Z'), { recursive: true });

    const listed = await backupCommand(fetch, ['list'], install.env);

    await rm(join(dataDir, 'backups', 'carillon-20270101T000000Z'), { recursive: true });
    expect(listed).toMatch(/carillon-20270101T000000Z\n.*, its keys\.json is kept elsewhere\n/);
  });

  it('is restored with that file', async () => {
    expect(await restoredKey({}, '--keys', join(safe, 'keys.json'))).toBe(`${key}\n`);
  });

  it('is restored with its key in ENCRYPTION_KEYS', async () => {
    expect(await restoredKey({ ENCRYPTION_KEYS: `${OTHER_KEY},${key}` })).toBeNull();
  });

  it.each([
    ['without keys', undefined, {}],
    ['with other keys in ENCRYPTION_KEYS', undefined, { ENCRYPTION_KEYS: OTHER_KEY }],
    ['with the file of another install', 'other.json', {}],
  ])('is not restored %s', async (_how, file, env) => {
    const folder = await newFolder();
    const options = file === undefined ? [] : ['--keys', join(safe, file)];

    const restored = backupCommand(fetch, ['restore', copy, '--data-dir', folder, ...options], env);

    const named = file === undefined ? 'ENCRYPTION_KEYS' : join(safe, file);
    await expect(restored).rejects.toThrow(
      `The backup needs the keys with the marks ${manifest.keyMarks[0]}, and ${named} does not have them. Set ENCRYPTION_KEYS, or name its keys.json with --keys.`,
    );
    expect(await readdir(folder)).toEqual(['lock']);
  });

  it('is checked with the file when that is put back', async () => {
    await writeFile(join(copy, 'keys.json'), await readFile(join(safe, 'other.json')));

    const verified = offline('verify', copy).finally(() => rm(join(copy, 'keys.json')));

    await expect(verified).rejects.toThrow(`${join(copy, 'keys.json')} has `);
  });
});

describe('a restored install', () => {
  let restored: EmbeddedInstall;
  let folder: string;
  let said: string;
  let sent: { platformPostId: string };
  /** What a backup leaves that is killed, and what one of another install leaves. */
  const PARTIAL = `.carillon-${manifest.installId}.partial`;
  const LEFT = ['backup-images.partial', join('backups', PARTIAL), join('backups', '.carillon-other.partial')];

  beforeAll(async () => {
    // After the backup one of the posts goes out.
    await install.advance(3600);
    sent = (await install.rest(`GET /posts/${soon}`)).post;
    await install.stop();
    folder = await newFolder();
    await copyFile(join(dataDir, 'encryption.key'), join(folder, 'encryption.key'));
    said = await offline('restore', backup, '--data-dir', folder, '--replace');
    for (const left of LEFT) await mkdir(join(folder, left), { recursive: true });
    restored = await startEmbedded(folder, { CLOCK_START: '2027-03-01T09:00:00Z' });
  });

  it('holds what was due, and finds it on its platform instead of sending it again', async () => {
    expect(said).toContain('Posts that are due at the next start are held.');
    expect(await restoreCommand(fetch, ['status'], restored.env)).toMatch(/^Held: 1 post that was due by/);
    expect((await restored.rest(`GET /posts/${soon}`)).post).toMatchObject({ status: 'scheduled' });

    await restoreCommand(fetch, ['settle'], restored.env);
    await restored.advance(1);

    const { platformPostId } = sent;
    expect((await restored.rest(`GET /posts/${soon}`)).post).toMatchObject({ status: 'sent', platformPostId });
    expect(platform.calls[CREATE]).toBe(1);
  });

  it('has each post that was made meanwhile wholly or not at all', async () => {
    const { posts } = await restored.rest('GET /posts?status=scheduled&q=meanwhile&limit=100');

    expect(posts.length).toBeLessThanOrEqual(20);
    const rows = await restored.context.db.lite?.query(`
      select (select count(*) from posts where text like 'meanwhile%')::int as posts,
        (select count(distinct post_id) from post_words w join posts p on p.id = w.post_id where p.text like 'meanwhile%')::int
          as searched`);
    expect(rows?.rows).toEqual([{ posts: posts.length, searched: posts.length }]);
  });

  it('sends what falls due later, with its credentials and images', async () => {
    await restored.advance(4 * 3600);

    expect((await restored.rest(`GET /posts/${later}`)).post).toMatchObject({ status: 'sent', media: [{ id: image }] });
    expect(platform.calls[CREATE]).toBe(2);
  });

  it('has nothing that a backup left that was killed, once it has started', async () => {
    expect(await readdir(folder)).not.toContain('backup-images.partial');
    expect(await readdir(join(folder, 'backups'))).toEqual(['.carillon-other.partial']);
  });

  it('has what was there before in a folder beside it', async () => {
    const aside = (await readdir(folder)).find((name) => name.startsWith('replaced-'));

    expect(await readdir(join(folder, aside ?? ''))).toEqual(['encryption.key']);
  });
});

it('a start on an unfinished restore is refused', async () => {
  const folder = await newFolder();
  await cp(backup, join(folder, 'restore.partial'), { recursive: true });

  const started = startInstall(readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent' }), { announce: () => undefined });

  await expect(started).rejects.toThrow(`DATA_DIR: ${folder} has an unfinished restore; repeat it`);
});
