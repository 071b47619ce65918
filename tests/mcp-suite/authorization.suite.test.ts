/**
 * The official conformance suite of authorization servers, for a client that the operator has added and an owner in a
 * browser.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it, onTestFinished } from 'vitest';
import { freePort, REPOSITORY } from '../crash/server-process.ts';
import { OPERATOR, signedInBrowser } from '../harness/owner.ts';
import { agree } from '../oauth/agent-host.ts';
import { runCommand } from './run-command.ts';

const { owned } = inject('mcp');

/** What the operator types at a terminal. */
function carillon(...parameters: string[]) {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, PUBLIC_URL: owned, OPERATOR_TOKEN: OPERATOR };
  return promisify(execFile)(process.execPath, ['cli/carillon.ts', ...parameters], { cwd: REPOSITORY, env });
}

it('passes all its checks, from the metadata to the token', async () => {
  const [port, results] = [await freePort(), await mkdtemp(join(tmpdir(), 'carillon-authorization-'))];
  onTestFinished(() => rm(results, { recursive: true, force: true }));
  await carillon('oauth', 'client', 'add', 'conformance', `http://127.0.0.1:${port}/callback`);
  const browser = await signedInBrowser({ url: owned });
  let written = '';
  let answer: Promise<unknown> | undefined;
  const answerWhenAsked = (text: string) => {
    written += text;
    const [asked] = new RegExp(`${owned}/oauth/authorize\\S+(?=\\s)`).exec(written) ?? [];
    if (asked !== undefined) answer ??= agree(browser, new URL(asked), 'account').then(toCallback);
  };
  const toCallback = (given: URLSearchParams) => fetch(`http://127.0.0.1:${port}/callback?${given.toString()}`);

  const { code, output } = await runCommand(
    'conformance',
    ['authorization', '--url', owned, '--client-id', 'conformance', '--resource', `${owned}/mcp`].concat(
      '-p',
      String(port),
      '-o',
      results,
    ),
    answerWhenAsked,
  );

  await answer;
  const verdicts = output.slice(output.lastIndexOf('=== SUMMARY ===')).split('\n');
  expect({ code, failed: verdicts.filter((line) => line.startsWith('✗')) }).toEqual({ code: 0, failed: [] });
  expect(verdicts).toContain('Total: 3 passed, 0 failed');
});
