/** The requests to a model for AI polish, and the answers of the fake, against OpenAI's own description of its API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOpenAiPolisher } from '../../server/openai-polisher.ts';
import { polishRequest } from '../../services/polish/polish-request.ts';
import { type FakeModel, polished, startFakeModel } from '../platforms/fakes/fake-model.ts';
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

    const verdict = await checkAgainstDescription({
      script: script ?? '',
      description: description ?? '',
      base: '/v1',
      io: testIo(clock.now, {}, 60_000),
      scenario: async ({ fetch, signal }) => {
        const polisher = createOpenAiPolisher({ baseUrl: fake.baseUrl, apiKey, model: 'bell-1' }, fetch);
        const goal = { platformName: 'Mastodon', limit: '500 characters' };
        rewrite = await polisher.rewrite(polishRequest('Helo\n"you"', goal, 'post-0123'), signal);
      },
    });

    expect(verdict).toEqual({ calls: ['POST /chat/completions'], complaints: [] });
    expect(rewrite).toBe(polished('Helo\n"you"'));
  });
});
