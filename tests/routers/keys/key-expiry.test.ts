/** Keys with an end: refused from that instant on, on every surface. */
import { describe, expect, it } from 'vitest';
import { refusal } from '../../harness/expected.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const { id: profileId } = await world.profile();

const mint = (fields: object) =>
  world.rest(`POST /profiles/${profileId}/keys`, { body: { name: 'Ends', type: 'live', ...fields } });

describe('a key with expiresAt', () => {
  it('works until that instant, and is refused from it on', async () => {
    const end = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const { body } = await mint({ expiresAt: end });
    const status = async () => (await world.rest('GET /connections', { key: body.secret })).status;
    expect(body.key.expiresAt).toBe(end);
    expect(await status()).toBe(200);
    world.clock.advance(59_999);
    expect(await status()).toBe(200);

    world.clock.advance(1);

    expect(await status()).toBe(401);
    const mcp = await fetch(`${world.url}/mcp`, { method: 'POST', headers: { 'x-api-key': body.secret } });
    expect(mcp.status).toBe(401);
    const { body: list } = await world.rest(`GET /profiles/${profileId}/keys`);
    expect(list.keys.find(({ id }: { id: string }) => id === body.key.id)).toMatchObject({
      expiresAt: end,
      revokedAt: null,
    });
  });

  it('never ends when it is left out', async () => {
    expect((await mint({})).body.key.expiresAt).toBe(null);
  });

  it('is refused when the instant has passed', async () => {
    const expiresAt = world.clock.now().toISOString();

    const { status, body } = await mint({ expiresAt });

    const message = `expiresAt: ${expiresAt} is not in the future.`;
    expect({ status, body }).toEqual({ status: 400, body: refusal('invalid_request', message) });
  });

  it('may end in the year 9999, and not later', async () => {
    const [last, later] = ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-00:01'];

    expect((await mint({ expiresAt: last })).body.key.expiresAt).toBe(last);
    const { status, body } = await mint({ expiresAt: later });

    const message = `expiresAt: ${later} is after the year 9999 in UTC; give an earlier one.`;
    expect({ status, body }).toEqual({ status: 400, body: refusal('invalid_request', message) });
  });
});
