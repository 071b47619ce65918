/** The GitHub Action, run as a runner does: inputs in the environment, outputs in a file, commands on standard output. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startWorld } from '../harness/world.ts';

const FOLDER = join(import.meta.dirname, '../../integrations/github-action');
const world = await startWorld();
const folder = await mkdtemp(join(tmpdir(), 'carillon-action-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Step {
  readonly code: number;
  readonly stdout: string;
  readonly outputs: Readonly<Record<string, string>>;
}

async function run(inputs: Readonly<Record<string, string>>, runId = '1'): Promise<Step> {
  const { inputs: known } = parse(await readFile(join(FOLDER, 'action.yml'), 'utf8')) as {
    inputs: Record<string, { default?: string }>;
  };
  const outputFile = join(folder, 'output');
  await writeFile(outputFile, '');
  const given: Record<string, string> = {
    url: world.url,
    key: world.liveKey,
    connections: world.sandboxSlug,
    ...inputs,
  };
  const env = {
    GITHUB_REPOSITORY_ID: '7',
    GITHUB_RUN_ID: runId,
    GITHUB_JOB: 'announce',
    GITHUB_ACTION: 'post',
    GITHUB_OUTPUT: outputFile,
    ...Object.fromEntries(
      Object.entries(known).map(([name, { default: value = '' }]) => [
        `INPUT_${name.toUpperCase()}`,
        given[name] ?? value,
      ]),
    ),
  };
  const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve) => {
    execFile(process.execPath, [join(FOLDER, 'post.mjs')], { env }, (error, text) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout: text }),
    );
  });
  const written = await readFile(outputFile, 'utf8');
  const outputs = [...written.matchAll(/^(\w+)<<(\S+)\n([^]*?)\n\2$/gm)].map(([, name, , value]) => [name, value]);
  return { code, stdout, outputs: Object.fromEntries(outputs) as Record<string, string> };
}

async function textsOnSandbox(query: string): Promise<string[]> {
  const { body } = await world.rest(`GET /posts?q=${query}`);
  return body.posts.map(({ text }: { text: string }) => text);
}

describe('the action', () => {
  it('publishes once, also when the run is started again, and says where', async () => {
    const first = await run({ text: 'Released once' });
    const again = await run({ text: 'Released once' });

    const [result] = JSON.parse(first.outputs['results'] ?? '[]');
    expect(first).toEqual({
      code: 0,
      stdout: `::add-mask::${world.liveKey}\n- ${world.sandboxSlug}: ${result.url}\n`,
      outputs: { results: first.outputs['results'], urls: result.url },
    });
    expect(again).toEqual(first);
    expect(await textsOnSandbox('released')).toEqual(['Released once']);
  });

  it('publishes again in another run', async () => {
    await run({ text: 'Nightly build' }, '2');
    await run({ text: 'Nightly build' }, '3');

    expect(await textsOnSandbox('nightly')).toEqual(['Nightly build', 'Nightly build']);
  });

  it('stores drafts, and schedules with tags', async () => {
    const draft = await run({ text: 'Only a draft', draft: 'true', tags: 'one, two' });
    const at = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
    const scheduled = await run({ text: 'In an hour', at });

    expect(JSON.parse(draft.outputs['results'] ?? '')).toMatchObject([{ status: 'draft' }]);
    expect(JSON.parse(scheduled.outputs['results'] ?? '')).toMatchObject([{ status: 'scheduled', scheduledFor: at }]);
  });

  it('fails with what the service says, in one command that text from outside cannot end', async () => {
    const { code, stdout } = await run({
      text: 'Hello [[fail]]\n::warning::forged',
      connections: 'missing\n::notice::forged',
    });

    expect(code).toBe(1);
    expect(stdout.split('\n').filter((line) => line.startsWith('::'))).toEqual([
      `::add-mask::${world.liveKey}`,
      ...stdout.split('\n').filter((line) => line.startsWith('::error title=Carillon::')),
    ]);
    expect(stdout).toContain('::error title=Carillon::');
  });

  it('names inputs that are missing, and asks nothing', async () => {
    const { code, stdout } = await run({ text: '', key: '' });

    expect([code, stdout]).toEqual([1, '::error title=Carillon::Set the input key and text.\n']);
  });
});
