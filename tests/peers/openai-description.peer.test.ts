/** The requests to a model for AI polish, and the answers of the fake, against OpenAI's own description of its API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOpenAiPolisher } from '../../server/openai-polisher.ts';
import { altTextRequest } from '../../services/polish/alt-text-request.ts';
import { polishRequest } from '../../services/polish/polish-request.ts';
import { DESCRIBED, type FakeModel, polished, startFakeModel } from '../platforms/fakes/fake-model.ts';
import { StoppedClock, testIo } from '../platforms/harness.ts';
import { checkAgainstDescription } from './description-oracle.ts';
import { ensureOracle, peerScript } from './ensure-peers.ts';

const script = peerScript('oracle.mjs');
const description = peerScript('descriptions/openai.json');

describe.skipIf(script === undefined || description === undefined)('OpenAI', () => {
  const clock = new StoppedClock();
  let fake: FakeModel;
  beforeAll(async () => {
    await ensureOracle();
    fake = await startFakeModel({ now: clock.now });
  });
  afterAll(() => fake[Symbol.asyncDispose]());

  it.each([
    ['with a key', 'sk-1'],
    ['without one', undefined],
  ])('finds no mismatch in request or answer: %s', async (_name, apiKey) => {
    let rewrite = '';
    let altText = '';

    const verdict = await checkAgainstDescription({
      script: script ?? '',
      description: description ?? '',
      base: '/v1',
      io: testIo(clock.now, {}, 60_000),
      scenario: async ({ fetch, signal }) => {
        const polisher = createOpenAiPolisher(
          { baseUrl: fake.baseUrl, apiKey, model: 'bell-1', seesImages: true },
          fetch,
        );
        const voice = { rules: ['Be brief.'], examples: [], bannedPhrases: [] };
        const goal = { platformName: 'Mastodon', limit: '500 characters', voice, variant: { number: 1, count: 2 } };
        const boundary = `post-${'0'.repeat(32)}`;
        rewrite = await polisher.ask(polishRequest('Helo\n"you"', goal, boundary), signal);
        const image = { contentType: 'image/png', bytes: Buffer.from('bell') };
        altText = await polisher.ask(altTextRequest(image, 'en', boundary), signal);
      },
    });

    expect(verdict).toEqual({ calls: ['POST /chat/completions'], complaints: [] });
    expect(rewrite).toBe(polished('Helo\n"you"'));
    expect(altText).toBe(DESCRIBED);
  });
});
