/**
 * GET and PUT /profiles/{profileId}/voice, and what AI polish does with the voice
 * (docs/contract/profiles-and-keys.md#brand-voice).
 */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { refusal, UNKNOWN_ID } from '../../harness/expected.ts';
import { startPolishedWorld } from '../../harness/polished-world.ts';
import { createProfile } from '../../harness/profiles.ts';

const { world, model } = await startPolishedWorld();

const NO_VOICE = { rules: [], examples: [], bannedPhrases: [] };
const VOICE = {
  rules: ['Write short sentences.', 'Say “we”, never “the company”.'],
  examples: ['We cast bells. Since the flood, by hand.'],
  bannedPhrases: ['game-changing'],
};

async function profileWithSandbox() {
  const { key, id: accountId } = await makeAccount(world);
  const profile = await createProfile(world, key);
  const connection = await connectSandbox(world, { key, profileId: profile.id, slug: 'acme' });
  return { key, accountId, profileId: profile.id, connection };
}

const setVoice = (key: string, profileId: string, body: object) =>
  world.rest(`PUT /profiles/${profileId}/voice`, { key, body });
const getVoice = (key: string, profileId: string) => world.rest(`GET /profiles/${profileId}/voice`, { key });

async function send(key: string, profileId: string, text: string) {
  const { body } = await world.rest('POST /posts', {
    key,
    body: { text, profileId, connectionSlugs: ['acme'], rewrite: true },
  });
  const { postId } = body.results[0];
  return { result: body.results[0], post: (await world.rest(`GET /posts/${postId}`, { key })).body.post };
}

beforeEach(() => {
  model.asked.length = 0;
  model.answer = ({ text }) => `Polished ${text}`;
});

describe('the voice', () => {
  it('is empty at first, is replaced as a whole, and empty lists remove it', async () => {
    const { key, profileId } = await profileWithSandbox();

    const answers = [
      await getVoice(key, profileId),
      await setVoice(key, profileId, VOICE),
      await getVoice(key, profileId),
      await setVoice(key, profileId, { rules: ['  Be brief. '] }),
      await getVoice(key, profileId),
      await setVoice(key, profileId, {}),
      await getVoice(key, profileId),
    ];

    const brief = { ...NO_VOICE, rules: ['Be brief.'] };
    expect(answers.map(({ status, body }) => [status, body.voice])).toEqual([
      [200, NO_VOICE],
      [200, VOICE],
      [200, VOICE],
      [200, brief],
      [200, brief],
      [200, NO_VOICE],
      [200, NO_VOICE],
    ]);
  });

  it('takes as many and as long items as documented', async () => {
    const { key, profileId } = await profileWithSandbox();
    const voice = {
      rules: Array.from({ length: 10 }, () => 'r'.repeat(200)),
      examples: Array.from({ length: 5 }, () => 'e'.repeat(500)),
      bannedPhrases: Array.from({ length: 20 }, () => 'b'.repeat(60)),
    };

    expect((await setVoice(key, profileId, voice)).body).toEqual({ voice });
  });

  it.each<[string, object, RegExp]>([
    ['11 rules', { rules: Array.from({ length: 11 }, () => 'r') }, /^rules: /],
    ['a rule of 201 characters', { rules: ['r'.repeat(201)] }, /^rules\.0: /],
    ['an empty rule', { rules: [' '] }, /^rules\.0: /],
    ['6 examples', { examples: Array.from({ length: 6 }, () => 'e') }, /^examples: /],
    ['an example of 501 characters', { examples: ['e'.repeat(501)] }, /^examples\.0: /],
    ['21 banned phrases', { bannedPhrases: Array.from({ length: 21 }, () => 'b') }, /^bannedPhrases: /],
    ['a banned phrase of 61 characters', { bannedPhrases: ['b'.repeat(61)] }, /^bannedPhrases\.0: /],
    ['an unknown list', { banned: ['b'] }, /^body: expected no field called "banned"/],
  ])('400 invalid_request for %s, and keeps what was there', async (_name, body, message) => {
    const { key, profileId } = await profileWithSandbox();
    await setVoice(key, profileId, VOICE);

    const { status, body: answer } = await setVoice(key, profileId, body);

    expect([status, answer.error]).toEqual([400, 'invalid_request']);
    expect(answer.message).toMatch(message);
    expect((await getVoice(key, profileId)).body.voice).toEqual(VOICE);
  });

  it('404 for a profile that is unknown, deleted or of another account', async () => {
    const { key, profileId } = await profileWithSandbox();
    const foreign = await profileWithSandbox();
    await setVoice(key, profileId, VOICE);
    await world.rest(`DELETE /profiles/${profileId}`, { key });

    for (const id of [UNKNOWN_ID, profileId, foreign.profileId]) {
      const expected = [404, refusal('not_found', `No profile of yours has the id ${id}.`)];
      for (const { status, body } of [await getVoice(key, id), await setVoice(key, id, VOICE)]) {
        expect([status, body]).toEqual(expected);
      }
    }
    expect((await getVoice(foreign.key, foreign.profileId)).body.voice).toEqual(NO_VOICE);
  });

  it('is set by a test key only while the profile holds nothing live', async () => {
    const { key, accountId, profileId } = await profileWithSandbox();
    const { secret: testKey } = await world.key({ accountId, type: 'test' });

    const alone = await setVoice(testKey, profileId, VOICE);
    await world.key({ accountId, profileId });
    const { status, body } = await setVoice(testKey, profileId, {});

    const message = `The profile ${profileId} holds what a test key does not reach (connections beyond the sandbox: 0, live keys: 1, agents: 0, live webhooks: 0, live calendars: 0, open live connect sessions: 0), so a test key cannot set its voice; use a live key.`;
    expect(alone.body).toEqual({ voice: VOICE });
    expect([status, body]).toEqual([403, refusal('forbidden', message)]);
    expect((await getVoice(key, profileId)).body).toEqual({ voice: VOICE });
  });

  it('is removed with its profile', async () => {
    const { key, profileId } = await profileWithSandbox();
    await setVoice(key, profileId, VOICE);

    await world.rest(`DELETE /profiles/${profileId}`, { key });

    expect(await world.sql('select voice from profiles where id = $1', [profileId])).toEqual([{ voice: null }]);
  });
});

describe('a rewrite', () => {
  it('follows the voice of the profile of its connection, as data beside the text', async () => {
    const { key, profileId } = await profileWithSandbox();
    await setVoice(key, profileId, VOICE);

    const { post } = await send(key, profileId, 'Helo');
    await world.rest('POST /posts/rewrite', { key, body: { text: 'Helo', connectionSlug: 'acme', profileId } });

    expect(post.text).toBe('Polished Helo');
    const style = { rules: VOICE.rules, examples: VOICE.examples, avoid: VOICE.bannedPhrases };
    expect(model.asked).toMatchObject([
      { style, text: 'Helo', roles: ['system', 'user'] },
      { style, text: 'Helo', roles: ['system', 'user'] },
    ]);
    for (const { instructions } of model.asked) {
      for (const words of Object.values(VOICE).flat()) expect(instructions).not.toContain(words);
    }
  });

  it('knows no voice of another profile, and none for an own connection', async () => {
    const { key, profileId } = await profileWithSandbox();
    await setVoice(key, profileId, VOICE);
    const other = await createProfile(world, key);
    await connectSandbox(world, { key, profileId: other.id, slug: 'other' });
    await connectSandbox(world, { key, slug: 'own' });

    await world.rest('POST /posts/rewrite', {
      key,
      body: { text: 'Helo', connectionSlug: 'other', profileId: other.id },
    });
    await world.rest('POST /posts/rewrite', { key, body: { text: 'Helo', connectionSlug: 'own' } });

    expect(model.asked.map(({ style }) => style)).toEqual([null, null]);
  });

  it('with a banned phrase is discarded, and neither warning nor log names the phrase', async () => {
    const { key, profileId } = await profileWithSandbox();
    await setVoice(key, profileId, VOICE);
    const warn = vi.spyOn(world.context.log, 'warn');
    model.answer = () => 'Our Game-Changing bells';

    const { result, post } = await send(key, profileId, 'Our bells');

    expect(post).toMatchObject({ text: 'Our bells', aiRewriteStatus: 'failed' });
    expect(result.warning).toBe('The rewrite uses banned phrase 1 of the brand voice. The original text went out.');
    expect(JSON.stringify(warn.mock.calls)).not.toMatch(/game-changing/i);
  });

  it('may not keep a banned phrase of the text, and may replace it', async () => {
    const { key, profileId } = await profileWithSandbox();
    await setVoice(key, profileId, VOICE);
    const text = 'Game-changing bels';

    model.answer = () => 'Game-changing bells';
    const kept = await send(key, profileId, text);
    model.answer = () => 'Better bells';
    const replaced = await send(key, profileId, text);

    expect([kept.post.text, replaced.post.text]).toEqual([text, 'Better bells']);
  });

  it('follows the voice as it is when the post goes out', async () => {
    const { key, profileId } = await profileWithSandbox();
    await setVoice(key, profileId, VOICE);
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    await world.rest('POST /posts', {
      key,
      body: { text: 'Helo', profileId, connectionSlugs: ['acme'], rewrite: true, scheduledFor },
    });

    await setVoice(key, profileId, { rules: ['Be brief.'] });
    await world.advance(60_000);

    expect(model.asked.map(({ style }) => style)).toEqual([{ rules: ['Be brief.'], examples: [], avoid: [] }]);
  });
});
