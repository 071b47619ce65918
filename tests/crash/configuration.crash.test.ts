/**
 * Starts that fail: one line says what to fix, the exit code is 1, and nothing is left behind
 * (docs/contract/running.md#settings).
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { databaseUrl } from '../harness/database.ts';
import { ENGINE, newFolder, newInstall, launchProcess } from './server-process.ts';

const KEY_MESSAGE = 'must be comma-separated base64 keys of 32 bytes each';
const POSTGRES = 'postgres://127.0.0.1:1/carillon';

const keyOf = (type: 'live' | 'test', letters: number) => `crl_${type}_${'A'.repeat(letters)}`;

it.each([
  [{ PORT: 'abc' }, 'PORT: must be a port number'],
  [{ PORT: '70000' }, 'PORT: Too big: expected number to be <=65535'],
  [{ RATE_LIMIT_PER_MINUT: '9' }, 'RATE_LIMIT_PER_MINUT: is not a setting; did you mean RATE_LIMIT_PER_MINUTE?'],
  [{ database_url: POSTGRES }, 'database_url: is not a setting; did you mean DATABASE_URL?'],
  [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL: must begin with postgres://'],
  [{ DATABASE_URL: 'postgres://a:5432,,b/x' }, 'DATABASE_URL: must name a host before and after each comma'],
  [{ ROLE: 'worker' }, 'ROLE: worker needs DATABASE_URL; the embedded database serves one process only'],
  [{ ROLE: 'boss' }, 'ROLE: Invalid option: expected one of "all"|"web"|"worker"'],
  [
    { CLOCK: 'manual', DATABASE_URL: POSTGRES },
    'CLOCK: manual works on the embedded database only; unset DATABASE_URL',
  ],
  [{ CLOCK: 'manual', NODE_ENV: 'production' }, 'CLOCK: manual is refused when NODE_ENV is production'],
  [{ MCP_CONFORMANCE: '1', NODE_ENV: 'production' }, 'MCP_CONFORMANCE: is refused when NODE_ENV is production'],
  [{ MCP_CONFORMANCE: 'yes' }, 'MCP_CONFORMANCE: must be 1, or unset'],
  [{ BOOTSTRAP_LIVE_KEY: keyOf('live', 31) }, 'BOOTSTRAP_LIVE_KEY: must be crl_live_ and 32 to 200 letters or digits'],
  [{ BOOTSTRAP_LIVE_KEY: keyOf('live', 201) }, 'BOOTSTRAP_LIVE_KEY: must be crl_live_ and 32 to 200 letters or digits'],
  [{ BOOTSTRAP_TEST_KEY: keyOf('test', 201) }, 'BOOTSTRAP_TEST_KEY: must be crl_test_ and 32 to 200 letters or digits'],
  [{ CLOCK_START: '2027-01-01T00:00:00Z' }, 'CLOCK_START: is used only with CLOCK=manual'],
  [{ ENCRYPTION_KEYS: 'c2hvcnQ=' }, `ENCRYPTION_KEYS: ${KEY_MESSAGE}`],
  [{ ENCRYPTION_KEYS: `${Buffer.alloc(32).toString('base64')},` }, `ENCRYPTION_KEYS: ${KEY_MESSAGE}`],
  [
    { OUTBOUND_ALLOW: '10.0.0.0/33' },
    "OUTBOUND_ALLOW: '10.0.0.0/33' is neither a network such as 10.0.0.0/8 nor an IP address",
  ],
  [
    { TRUST_PROXY: '10.0.0.1, yes' },
    "TRUST_PROXY: 'yes' is neither a number of proxies, true, false, an IP address nor a network such as 10.0.0.0/8",
  ],
  [
    { PUBLIC_URL: 'https://example.com/app' },
    'PUBLIC_URL: must be an origin such as https://example.com, without a path',
  ],
])('refuses %j in one line', async (settings, message) => {
  const dataDir = join(await newFolder(), 'data');

  const server = launchProcess({ DATA_DIR: dataDir, ...settings });

  expect(await server.ended()).toMatchObject({ code: 1, signal: null });
  expect(server.stderr()).toBe(`carillon: ${message}\n`);
  expect(server.stdout()).toBe('');
  expect(existsSync(dataDir)).toBe(false);
});

it('names DATABASE_URL when the database does not answer, and hides its password', async () => {
  const server = launchProcess({
    DATA_DIR: await newFolder(),
    DATABASE_URL: 'postgres://carillon:opensesame@127.0.0.1:1/x',
  });

  expect(await server.ended()).toMatchObject({ code: 1, signal: null });
  expect(server.stderr()).toBe(
    'carillon: DATABASE_URL: the database cannot be opened (connect ECONNREFUSED 127.0.0.1:1)\n',
  );
  expect(server.stdout()).toBe('');
});

it.runIf(ENGINE === 'postgres')('names DATABASE_URL when there is no such database, and creates none', async () => {
  const server = launchProcess({ DATA_DIR: await newFolder(), DATABASE_URL: databaseUrl('carillon_misspelt') });

  expect(await server.ended()).toMatchObject({ code: 1, signal: null });
  expect(server.stderr()).toBe(
    'carillon: DATABASE_URL: the database cannot be opened (database "carillon_misspelt" does not exist)\n',
  );
});

it('names DATA_DIR when that is a file', async () => {
  const file = join(await newFolder(), 'file');
  await writeFile(file, '');

  const server = launchProcess({ DATA_DIR: file });

  expect(await server.ended()).toMatchObject({ code: 1, signal: null });
  expect(server.stderr()).toBe(
    `carillon: DATA_DIR ${file} cannot be created (EEXIST: file already exists, mkdir '${file}').\n`,
  );
});

it('names DATA_DIR when its content is not a database', async () => {
  const dataDir = await newFolder();
  await writeFile(join(dataDir, 'db'), 'a file where a folder belongs');

  const server = launchProcess({ DATA_DIR: dataDir });

  expect(await server.ended()).toMatchObject({ code: 1, signal: null });
  expect(server.stderr()).toMatch(/^carillon: DATA_DIR: the database cannot be opened \(.+\)\n$/);
});

it.each(['not-an-address.invalid', '192.0.2.1'])(
  'names HOST when it is not an address of this machine (%s)',
  async (host) => {
    const install = await newInstall({ HOST: host });

    const server = install.launch();

    expect(await server.ended()).toMatchObject({ code: 1, signal: null });
    expect(server.stderr()).toBe(`carillon: HOST: ${host} is not an address of this machine\n`);
  },
);

it(`names PORT when it is in use, and creates no key without printing it (${ENGINE})`, async () => {
  const install = await newInstall({ BOOTSTRAP_LIVE_KEY: '' });
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;

  const refused = install.launch({ PORT: String(port) });

  expect(await refused.ended()).toMatchObject({ code: 1, signal: null });
  expect(refused.stderr()).toBe(`carillon: PORT: ${port} on 127.0.0.1 is already in use\n`);
  expect(refused.stdout()).toBe('');
  const started = await install.start();
  expect(started.stdout()).toMatch(/^ {2}Live key {2}crl_live_\w+$/m);
});
