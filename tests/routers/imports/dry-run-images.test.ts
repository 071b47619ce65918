/** A dry run counts the images that an import would fetch, so it says what the import does (docs/contract/import-export.md#rows). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { accountWithSandbox, storeBluesky } from '../../harness/connections.ts';
import { UUID } from '../../harness/expected.ts';
import { plain } from '../../harness/images.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeInstagram } from '../../platforms/fakes/fake-instagram.ts';

const instagram = await startFakeInstagram({ now: () => START, reach: (url) => url });
const world = await startWorld({ env: { META_GRAPH_URL: instagram.url } });
const square = await plain(40, 40).png().toBuffer();
const wide = await plain(400, 40).png().toBuffer();

let fetched = 0;
const server = createServer((_request, response) => {
  fetched += 1;
  response.setHeader('content-type', 'image/png').end(square);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(async () => {
  server.close();
  await instagram.close();
});
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bell.png`;

/** An account with a connection `there`, which nothing is sent to. */
async function accountWith(platformId: string) {
  const { key, id } = await accountWithSandbox(world);
  const connection = await storeBluesky(world, id, { slug: 'there' });
  await world.sql('update connections set platform_id = $2 where id = $1', [connection.id, platformId]);
  return { key, accountId: id };
}

async function rowsOf(key: string, row: object, dryRun: boolean) {
  const content = JSON.stringify([{ text: 'Ding', isDraft: true, connectionSlugs: ['there'], ...row }]);
  const { body } = await world.rest('POST /imports', { key, body: { format: 'json', content, dryRun } });
  await world.runDue();
  return (await world.rest(`GET /imports/${body.import.id}`, { key })).body.rows;
}

const RESULT = { connectionSlug: 'there', scheduledFor: null };

it('accepts an image by address for a platform that needs one, without fetching it', async () => {
  const { key } = await accountWith('instagram');
  const row = { images: [{ url }] };
  fetched = 0;

  const dry = await rowsOf(key, row, true);
  const fetchedBefore = fetched;
  const real = await rowsOf(key, row, false);

  expect([fetchedBefore, fetched]).toEqual([0, 1]);
  expect(dry).toEqual([
    { row: 1, status: 'valid', results: [{ ...RESULT, status: 'valid', postId: null, error: null }], error: null },
  ]);
  expect(real).toEqual([
    { row: 1, status: 'created', results: [{ ...RESULT, status: 'draft', postId: UUID, error: null }], error: null },
  ]);
});

it.each([
  ['sms', 1, 'media_unsupported', 'SMS does not support images; leave them out for this connection.'],
  ['bluesky', 5, 'platform_rejected', 'The post has 5 images; Bluesky takes at most 4.'],
])('refuses for %s what the import refuses: %i images by address', async (platformId, count, code, message) => {
  const { key } = await accountWith(platformId);
  const row = { images: Array.from({ length: count }, () => ({ url })) };

  const dry = await rowsOf(key, row, true);
  const real = await rowsOf(key, row, false);

  const error = { code, message };
  const refused = { row: 1, status: 'failed', results: [{ ...RESULT, status: 'failed', postId: null, error }], error };
  expect([dry, real]).toEqual([[refused], [refused]]);
});

it('names a stored image by its place among those by address', async () => {
  const { key } = await accountWith('instagram');
  const upload = await world.rest('POST /media', { key, raw: wide, headers: { 'content-type': 'image/png' } });
  const row = { images: [{ url }, { id: upload.body.media.id }, { url }] };

  const dry = await rowsOf(key, row, true);
  const real = await rowsOf(key, row, false);

  const error = { code: 'platform_rejected', message: expect.stringMatching(/^Image 2 is 400 by 40 pixels/) };
  expect(dry).toMatchObject([{ status: 'failed', error }]);
  expect(real).toEqual(dry);
});

it('reads the alt text of an image by address, about which a policy asks a person', async () => {
  const { key, id: accountId } = await accountWithSandbox(world);
  const agent = await world.key({ accountId });
  await world.rest(`PUT /policies/${agent.id}`, { key, body: { approvalWords: ['refund'] } });
  const row = { connectionSlugs: ['sandbox'], isDraft: false, queue: true, images: [{ url, altText: 'A refund' }] };

  const dry = await rowsOf(agent.secret, row, true);
  const real = await rowsOf(agent.secret, row, false);

  const result = { ...RESULT, connectionSlug: 'sandbox', error: null };
  expect(dry).toEqual([
    { row: 1, status: 'valid', results: [{ ...result, status: 'valid', postId: null }], error: null },
  ]);
  expect(real).toEqual([
    { row: 1, status: 'created', results: [{ ...result, status: 'draft', postId: UUID }], error: null },
  ]);
});
