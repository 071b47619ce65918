/** The image processes never outlive the server, however it ends. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { manyScans } from '../harness/images.ts';
import { LIVE_KEY, newInstall, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

/** Takes some time to decode, and on a busy machine still less than its deadline. */
const SLOW = manyScans(2_500, 2_500, 100);

function upload({ url }: ServerProcess): Promise<number> {
  const headers = { 'content-type': 'image/jpeg', 'x-api-key': LIVE_KEY };
  return fetch(`${url}/api/v2/media`, { method: 'POST', headers, body: new Uint8Array(SLOW) }).then(
    ({ status }) => status,
    () => 0,
  );
}

async function imageProcesses({ child }: ServerProcess): Promise<string[]> {
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return children.split(' ').filter((pid) => pid !== '');
}

const begun = (server: ServerProcess) =>
  waitUntil('an image is being decoded', async () => {
    const pids = await imageProcesses(server);
    return pids.length > 0 && pids;
  });

it.runIf(existsSync('/proc/self/task'))('end when the server is killed in the middle of a decode', async () => {
  const server = await (await newInstall()).start();
  const answer = upload(server);
  const pids = await begun(server);

  await server.kill9();

  expect(await answer).toBe(0);
  await waitUntil('its image process is gone', () => pids.every((pid) => !existsSync(`/proc/${pid}`)));
});

it.runIf(existsSync('/proc/self/task'))('end when the server is stopped, which finishes the upload first', async () => {
  const server = await (await newInstall()).start();
  const answer = upload(server);
  const pids = await begun(server);

  const { code } = await server.stop();

  expect([code, await answer]).toEqual([0, 200]);
  await waitUntil('its image process is gone', () => pids.every((pid) => !existsSync(`/proc/${pid}`)));
});

it.runIf(existsSync('/proc/self/task'))('start with the first image, and restart after a kill', async () => {
  const server = await (await newInstall()).start();
  expect(await imageProcesses(server)).toEqual([]);
  const answer = upload(server);
  const [first = ''] = await begun(server);

  process.kill(Number(first), 'SIGKILL');

  expect(await answer).toBe(200);
  expect(await imageProcesses(server)).not.toContain(first);
});
