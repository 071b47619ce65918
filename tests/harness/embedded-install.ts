/** An install on the embedded database in a folder, in this process, on the manual clock; it stops when the test ends. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../server/config.ts';
import { type Install, startInstall } from '../../server/install.ts';
import { whenOver } from './closing.ts';
import { TEMPLATE_VARIABLE, TEST_DATABASE_URL } from './database.ts';
import { freePort } from './free-port.ts';
import { OPERATOR } from './owner.ts';
import { LIVE_KEY } from './world.ts';

export interface EmbeddedInstall {
  readonly url: string;
  readonly context: Install['context'];
  /** Environment for commands of the operator. */
  readonly env: Readonly<Record<string, string>>;
  /** @returns the parsed body; throws when the status is 400 or more */
  // eslint-disable-next-line typescript/no-explicit-any -- tests compare known fields
  rest(call: `${string} /${string}`, body?: unknown): Promise<any>;
  /** Moves the manual clock; what is due runs. */
  advance(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

/** A folder that is removed after the test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-'));
  whenOver(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function startEmbedded(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<EmbeddedInstall> {
  const isNew = (await readdir(dataDir)).length === 0;
  const template = process.env[TEMPLATE_VARIABLE];
  // Creating a database takes half a minute on a busy machine.
  if (isNew && template !== undefined && TEST_DATABASE_URL === undefined && settings['DATABASE_URL'] === undefined) {
    await mkdir(join(dataDir, 'db'));
    execFileSync('tar', ['-xf', template, '-C', join(dataDir, 'db')], { stdio: 'ignore' });
  }
  const port = String(await freePort());
  const env = {
    DATA_DIR: dataDir,
    PORT: port,
    LOG_LEVEL: 'silent',
    CLOCK: 'manual',
    CLOCK_START: '2027-03-01T08:00:00Z',
    OPERATOR_TOKEN: OPERATOR,
    BOOTSTRAP_LIVE_KEY: LIVE_KEY,
    OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
    ...settings,
  };
  if ('DATABASE_URL' in env) Object.assign(env, { CLOCK: 'system', CLOCK_START: '' });
  const install = await startInstall(readConfig(env), { announce: () => undefined });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= install.stop());
  whenOver(stop);
  const url = `http://127.0.0.1:${port}`;
  const rest: EmbeddedInstall['rest'] = async (call, body) => {
    const [method = 'GET', path = ''] = call.split(' ');
    const headers = { 'x-api-key': LIVE_KEY, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const response = await fetch(`${url}/api/v2${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { message?: string };
    if (!response.ok) throw new Error(`${call}: ${response.status} ${answer.message}`);
    return answer;
  };
  return {
    url,
    context: install.context,
    env,
    rest,
    advance: async (seconds) => {
      await rest('POST /simulation/clock', { advanceSeconds: seconds });
    },
    stop,
  };
}
