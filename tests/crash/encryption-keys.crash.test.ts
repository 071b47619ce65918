/** Replacing the key that encrypts credentials, over restarts (docs/contract/running.md#settings). */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeBluesky } from '../platforms/fakes/fake-bluesky.ts';
import { post } from './posts.ts';
import { ENGINE, type Install, newInstall } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

const PASSWORD = 'abcd-efgh-ijkl-mnop';
const [OLD = '', NEW = '', OTHER = ''] = ['o', 'n', 'x'].map((letter) => Buffer.alloc(32, letter).toString('base64'));

/** Marks of the keys that encrypt the stored credentials. */
async function marks(install: Install): Promise<string[]> {
  const rows = await install.sql<{ mark: string }>(
    `select distinct split_part(credentials, '.', 2) as mark from connections`,
  );
  return rows.map(({ mark }) => mark);
}

describe(`on ${ENGINE}`, () => {
  it('reads credentials under an older key, re-encrypts them, and then needs only the newer key', async () => {
    const fake = await startFakeBluesky({ now: () => new Date() });
    onTestFinished(() => fake.close());
    fake.addAccount('alice.test', PASSWORD);
    const install = await newInstall({ BLUESKY_SERVICE_URL: fake.url });
    const first = await install.start({ ENCRYPTION_KEYS: OLD });
    const credentials = { identifier: 'alice.test', appPassword: PASSWORD };
    await first.rest('POST /connections', { body: { platformId: 'bluesky', credentials, slug: 'alice' } });
    await first.stop();
    const before = await marks(install);
    expect(before).toHaveLength(1);

    const second = await install.start({ ENCRYPTION_KEYS: `${NEW},${OLD}` });
    expect(await post(second, 'alice', 'in between')).toMatchObject({ status: 'sent' });
    await waitUntil('housekeeping has run', () =>
      second.log().some(({ logins, msg }) => logins === 2 && msg === 'logins were encrypted again under the first key'),
    );
    await second.stop();

    const after = await marks(install);
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    const third = await install.start({ ENCRYPTION_KEYS: NEW });
    expect(await post(third, 'alice', 'afterwards')).toMatchObject({ status: 'sent' });
    expect(fake.posts().map(({ record }) => record.text)).toEqual(['in between', 'afterwards']);
  });

  it('refuses to start in one line without a key that is still needed, and starts when it is restored', async () => {
    const install = await newInstall();
    const first = await install.start({ ENCRYPTION_KEYS: OLD });
    await first.stop();
    const [mark = ''] = await marks(install);

    const refused = install.launch({ ENCRYPTION_KEYS: `${NEW},${OTHER}` });

    expect(await refused.ended()).toMatchObject({ code: 1, signal: null });
    expect(refused.stderr()).toBe(
      `carillon: ENCRYPTION_KEYS: stored logins were encrypted with a missing key (mark ${mark}); add it after the first\n`,
    );
    expect(refused.stdout()).toBe('');
    const started = await install.start({ ENCRYPTION_KEYS: `${NEW},${OLD}` });
    expect(await post(started, 'sandbox', 'hello')).toMatchObject({ status: 'sent' });
  });

  it('generates a key that only its owner may read, and reuses it', async () => {
    const install = await newInstall();
    const file = join(install.dataDir, 'encryption.key');
    const first = await install.start();
    const key = await readFile(file, 'utf8');
    await first.kill9();

    const second = await install.start();

    expect(await post(second, 'sandbox', 'hello')).toMatchObject({ status: 'sent' });
    expect(await readFile(file, 'utf8')).toBe(key);
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});
