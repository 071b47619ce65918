/** An empty variable counts as not set for the command line and the health check, as for the server (docs/configuration.md). */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { OPERATOR } from '../harness/owner.ts';
import { startWorld } from '../harness/world.ts';
import { temporaryFolder } from './run-cli.ts';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '../..');

/** A program in place of its `fetch`: prints what is asked, and asks nothing. */
const PRINT_REQUESTS = `data:text/javascript,globalThis.fetch = async (url, { headers }) => {
  console.log(String(url), headers?.authorization ?? '');
  return Response.json({ accounts: [] });
};`;

/** Runs a program in a folder with these variables alone. */
async function runWith(env: Readonly<Record<string, string>>, args: readonly string[], cwd = temporaryFolder()) {
  const { PATH } = process.env;
  const { stdout } = await run(process.execPath, args, { cwd, env: { PATH, HOME: cwd, ...env } });
  return stdout;
}

const accountList = [path.join(ROOT, 'cli/carillon.ts'), 'account', 'list'];

it('a command of the operator takes the token of ./data and the port', async () => {
  const world = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR } });
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, 'data'));
  writeFileSync(path.join(folder, 'data/operator.token'), OPERATOR);
  const PORT = new URL(world.url).port;

  const printed = await runWith({ OPERATOR_TOKEN: '', DATA_DIR: '', PUBLIC_URL: '', PORT }, accountList, folder);

  expect(printed).toBe(await runWith({ OPERATOR_TOKEN: OPERATOR, PORT }, accountList));
  const [account] = await world.sql<{ id: string }>('select id from accounts');
  expect(printed).toContain(account?.id);
});

it('a command of the operator asks port 3000', async () => {
  const args = ['--import', PRINT_REQUESTS, ...accountList];

  const printed = await runWith({ OPERATOR_TOKEN: OPERATOR, PORT: '', PUBLIC_URL: '' }, args);

  expect(printed.split('\n')[0]).toBe(`http://127.0.0.1:3000/operator/accounts Bearer ${OPERATOR}`);
});

it('the health check of the image asks port 3000', async () => {
  const args = ['--import', PRINT_REQUESTS, path.join(ROOT, 'deploy/health-check.js')];

  expect(await runWith({ PORT: '' }, args)).toBe('http://127.0.0.1:3000/readyz \n');
});
