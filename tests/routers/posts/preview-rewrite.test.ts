/** POST /posts/rewrite: what AI polish makes of a text, without a post. */
import { describe, expect, it } from 'vitest';
import { refusal } from '../../harness/expected.ts';
import { startPolishedWorld } from '../../harness/polished-world.ts';
import { startWorld } from '../../harness/world.ts';

const { world, model } = await startPolishedWorld();
const off = await startWorld();

describe('200', () => {
  it('returns the rewrite that a send would use, and stores nothing', async () => {
    const { status, body } = await world.rest('POST /posts/rewrite', {
      body: { text: ' Helo ', connectionSlug: world.sandboxSlug },
    });

    expect([status, body]).toEqual([200, { status: 'rewritten', text: 'Polished Helo', reason: null }]);
    expect((await world.rest('GET /posts')).body.posts).toEqual([]);
  });

  it('returns the text and the reason when the answer of the model cannot be used', async () => {
    model.answer = () => 'x'.repeat(501);

    const { body } = await world.rest('POST /posts/rewrite', {
      body: { text: 'Helo', connectionSlug: world.sandboxSlug },
    });

    const reason = 'The rewrite has 501 characters; Sandbox takes at most 500.';
    expect(body).toEqual({ status: 'failed', text: 'Helo', reason });
  });

  it('says so on an install without a model', async () => {
    const { body } = await off.rest('POST /posts/rewrite', { body: { text: 'Helo', connectionSlug: off.sandboxSlug } });

    const reason = 'AI polish is not set up on this install.';
    expect(body).toEqual({ status: 'failed', text: 'Helo', reason });
  });
});

it('400 invalid_connection names a slug of no connection', async () => {
  const { status, body } = await world.rest('POST /posts/rewrite', {
    body: { text: 'Helo', connectionSlug: 'nowhere' },
  });

  const message = 'No connection of yours has the slug "nowhere". GET /connections lists them.';
  expect([status, body]).toEqual([400, refusal('invalid_connection', message)]);
});
