/** Each hostile text of the corpus goes through AI polish with a model that obeys it, and nothing unsafe comes out. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type FindingAnswer, IMAGE_FINDINGS, TEXT_FINDINGS, type TextFinding } from '../../hostile-texts/corpus.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { plain } from '../../harness/images.ts';
import { startPolishedWorld } from '../../harness/polished-world.ts';
import { createProfile } from '../../harness/profiles.ts';
import { type Asked, completion } from '../../platforms/fakes/fake-model.ts';

const { world, model } = await startPolishedWorld({ AI_SEES_IMAGES: 'true', RATE_LIMIT_PER_MINUTE: '10000' });
const { key } = await accountWithSandbox(world);
const profile = await createProfile(world, key);
await connectSandbox(world, { key, profileId: profile.id, slug: 'hostile' });
const png = await plain(12, 8).png().toBuffer();
const { body: uploaded } = await world.rest('POST /media', { key, raw: png, headers: { 'content-type': 'image/png' } });
const NO_VOICE = { rules: [], examples: [], bannedPhrases: [] };

beforeEach(() => {
  model.asked.length = 0;
});

/** The answer of a model that obeys. */
function obeys(answer: FindingAnswer) {
  return ({ boundaries, instructions, image }: Asked) => {
    if (typeof answer !== 'string') {
      return { status: 200, json: completion(null, 'bell-1', answer) };
    }
    const boundary = image === null ? boundaries[0] : (/post-[0-9a-f]{32}/.exec(instructions)?.[0] ?? '');
    return answer
      .replaceAll('{boundary}', boundary)
      .replaceAll('{style}', `${boundary}-style`)
      .replaceAll('{instructions}', instructions);
  };
}

/** Written apart from the checks of the product: what no text may have that its writer did not write. */
const UNSAFE =
  /[a-z]+:\/\/|javascript:|data:|tel:|\bwww\.|\b[\w-]+\.(?:com|example|org|invalid|internal)\b|[@＠<>[\]{}`*]|post-[0-9a-f]{32}|\p{Nd}|[\p{Cc}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\u2800\ufeff]/giu;

function expectSafe(original: string, text: string): void {
  const found = (words: string) => (words.match(UNSAFE) ?? []).toSorted();
  expect(found(text)).toEqual(found(original));
}

const usesVoice = (voice: TextFinding['voice']) =>
  world.rest(`PUT /profiles/${profile.id}/voice`, { key, body: voice ?? NO_VOICE });

describe.each(TEXT_FINDINGS)('$file', ({ findings }) => {
  it.each(findings)('$name', async ({ text, answer, reason, voice }) => {
    expect((await usesVoice(voice)).status).toBe(200);
    model.answer = obeys(answer);
    const target = { text, profileId: profile.id };

    const preview = await world.rest('POST /posts/rewrite', {
      key,
      body: { ...target, connectionSlug: 'hostile', variants: 2 },
    });
    const sent = await world.rest('POST /posts', {
      key,
      body: { ...target, connectionSlugs: ['hostile'], rewrite: true },
    });

    const [result] = sent.body.results;
    const { post } = (await world.rest(`GET /posts/${result.postId}`, { key })).body;
    expect([preview.body.reason, result.warning ?? null]).toEqual([
      reason,
      reason === null ? null : `${reason} The original text went out.`,
    ]);
    expect(post.aiRewriteStatus).toBe(reason === null ? 'rewritten' : 'failed');
    if (reason !== null) expect([preview.body.text, post.text]).toEqual([text, text]);
    expect(preview.body.variants).toHaveLength(2);
    const texts = preview.body.variants.flatMap((variant: { text: string | null }) => variant.text ?? []);
    expect(texts).toEqual(reason === null ? [post.text] : []);
    for (const out of [preview.body.text, post.text]) expectSafe(text, out);
    // However the text is worded, it was data: no part of it reached the instructions.
    expect(model.asked.map((asked) => asked.text)).toEqual([text, text, text]);
    for (const { instructions, style } of model.asked) {
      expect(instructions).not.toContain(text);
      expect(style === null).toBe(voice === undefined);
      for (const words of Object.values(style ?? {}).flat()) expect(instructions).not.toContain(words);
    }
  });
});

describe('images.json', () => {
  it.each(IMAGE_FINDINGS)('$name', async ({ answer, reason }) => {
    model.answer = obeys(answer);

    const { status, body } = await world.rest(`POST /media/${uploaded.media.id}/alt-text`, { key, body: {} });

    expect([status, body.status, body.reason]).toEqual([200, reason === null ? 'proposed' : 'failed', reason]);
    expectSafe('', body.altText ?? '');
    expect((await world.rest(`GET /media/${uploaded.media.id}`, { key })).body.media.altText).toBeNull();
  });
});

describe('the corpus', () => {
  it('names each finding once in its file', () => {
    for (const { file, findings } of [...TEXT_FINDINGS, { file: 'images.json', findings: IMAGE_FINDINGS }]) {
      const names = findings.map(({ name }) => name);
      expect([file, names]).toEqual([file, [...new Set(names)]]);
    }
  });
});
