/** `carillon voice` and `carillon media describe`. */
import { beforeEach, describe, expect, it } from 'vitest';
import { plain } from '../harness/images.ts';
import { startPolishedWorld } from '../harness/polished-world.ts';
import { createProfile } from '../harness/profiles.ts';
import { DESCRIBED } from '../platforms/fakes/fake-model.ts';
import { runCli } from './run-cli.ts';

const { world, model } = await startPolishedWorld({ AI_SEES_IMAGES: 'true' });
const run = (...args: string[]) => runCli(world, args);

beforeEach(() => {
  model.asked.length = 0;
  model.answer = () => DESCRIBED;
});

describe('voice', () => {
  it('is set as a whole and shown, without control characters', async () => {
    const { id } = await createProfile(world, world.liveKey);

    const none = await run('voice', 'show', id);
    const lists = ['--rule', 'Be brief.', '--rule', 'Say \u202Ewe.', '--example', 'One\ntwo.', '--ban', 'synergy'];
    const set = await run('voice', 'set', id, ...lists);
    const shown = await run('voice', 'show', id);
    const json = await run('voice', 'show', id, '--json');
    const removed = await run('voice', 'set', id);

    expect(none.stdout).toBe('The profile has no brand voice.\n');
    const text = 'Rules:\n  Be brief.\n  Say we.\nExamples:\n  One two.\nBanned phrases:\n  synergy\n';
    expect([set.stdout, shown.stdout]).toEqual([text, text]);
    expect(JSON.parse(json.stdout)).toEqual({
      voice: { rules: ['Be brief.', 'Say \u202Ewe.'], examples: ['One\ntwo.'], bannedPhrases: ['synergy'] },
    });
    expect(removed.stdout).toBe('The profile has no brand voice.\n');
  });
});

describe('media describe', () => {
  const upload = async (): Promise<string> => {
    const raw = await plain(12, 8).png().toBuffer();
    return (await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } })).body.media.id;
  };

  it('prints the proposal in the language that was asked for', async () => {
    const { exitCode, stdout } = await run('media', 'describe', await upload(), '--language', 'de');

    expect([exitCode, stdout]).toEqual([0, `${DESCRIBED}\n`]);
    expect(model.asked[0]?.instructions).toContain('BCP 47 tag de.');
  });

  it('ends with exit code 3 when there is no usable proposal', async () => {
    model.answer = () => 'See https://evil.example';

    const { exitCode, stdout } = await run('media', 'describe', await upload());

    expect([exitCode, stdout]).toEqual([3, 'There is no proposal: The alt text holds a link.\n']);
  });
});
