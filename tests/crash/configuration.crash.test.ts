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

it('refuses a setting in one line, and creates nothing', async () => {
  const dataDir = join(await newFolder(), 'data');

  const server = launchProcess({ DATA_DIR: dataDir, RATE_LIMIT_PER_MINUT: '9' });

  expect(await server.ended()).toMatchObject({ code: 1, signal: null });
  expect(server.stderr()).toBe(
    'carillon: RATE_LIMIT_PER_MINUT: is not a setting; did you mean RATE_LIMIT_PER_MINUTE?\n',
  );
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
