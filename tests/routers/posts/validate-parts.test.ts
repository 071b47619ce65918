/** POST /posts/validate: the length of each part, and what a send would do to each image. */
import { expect, it } from 'vitest';
import { connectSandbox, storeDiscord } from '../../harness/connections.ts';
import { noise } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const [account] = await world.sql<{ id: string }>('select id from accounts');
await storeDiscord(world, account!.id, 'channel');
await connectSandbox(world, { slug: 'second' });

async function upload(bytes: Buffer, type: string, altText = ''): Promise<string> {
  const path: `POST /${string}` = `POST /media?altText=${encodeURIComponent(altText)}`;
  return (await world.rest(path, { raw: bytes, headers: { 'content-type': type } })).body.media.id;
}

const validate = async (body: Record<string, unknown>) =>
  (await world.rest('POST /posts/validate', { body: { text: 'Hello', ...body } })).body.results;

it('measures the text and each reply, and says which of them does not fit', async () => {
  const [result] = await validate({ connectionSlugs: [world.sandboxSlug], thread: ['Short', 'x'.repeat(501)] });

  const reason = 'The text has 501 characters; Sandbox takes at most 500.';
  expect(result.parts).toEqual([
    { length: 5, maxLength: 500 },
    { length: 5, maxLength: 500 },
    { length: 501, maxLength: 500, reason },
  ]);
  expect(result.ok).toBe(false);
});

it('measures no replies where the platform has no threads', async () => {
  const [result] = await validate({ connectionSlugs: ['channel'], thread: ['Reply'] });

  expect(result.parts).toEqual([{ length: 5, maxLength: 2000 }]);
});

it('says that an image goes as it is, or what happens to it', async () => {
  const small = await upload(await noise(20, 10).png().toBuffer(), 'image/png', 'A bell');
  const large = await upload(await noise(1_500, 1_200).png({ compressionLevel: 0 }).toBuffer(), 'image/png');

  const [sandbox, channel] = await validate({
    connectionSlugs: [world.sandboxSlug, 'channel'],
    media: [{ id: small, altText: 'x'.repeat(1_000) }, { id: large }],
  });

  const whole = { width: 1_500, height: 1_200 };
  expect(sandbox.images).toEqual([
    { id: small, width: 20, height: 10, changes: [] },
    { id: large, ...whole, changes: [] },
  ]);
  expect(channel.images).toEqual([
    { id: small, width: 20, height: 10, changes: [] },
    { id: large, ...whole, changes: ['compressed'] },
  ]);
});
