/** Rows without a time are published at once only when the import says `now` (docs/contract/import-export.md#columns). */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { sandboxOf } from '../../harness/posts.ts';
import { UUID } from '../../harness/expected.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** The rows of a dry run and of the import, and how many posts went out. */
async function importRow(untimed: string, row: object) {
  const { key, connection } = await accountWithSandbox(world);
  const slots = [{ weekday: 1, time: '09:00' }];
  await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { timezone: 'UTC', slots } });
  const content = JSON.stringify([{ text: 'Ding', connectionSlugs: ['sandbox'], ...row }]);
  const rows = async (dryRun: boolean) => {
    const { body } = await world.rest('POST /imports', { key, body: { format: 'json', content, untimed, dryRun } });
    await world.runDue();
    return (await world.rest(`GET /imports/${body.import.id}`, { key })).body.rows;
  };
  const [dry, real] = [await rows(true), await rows(false)];
  return { dry, real, sent: (await sandboxOf(world, connection.id)).length };
}

/** Fields that ask for nothing. */
const DECLINED = [{}, { queue: false }, { isDraft: false }, { queue: false, isDraft: false }, { scheduledFor: null }];

describe.each([
  ['draft', 'draft', null],
  ['queue', 'scheduled', expect.stringMatching(/T09:00:00\.000Z$/)],
  ['now', 'sent', null],
])('untimed: %s', (untimed, status, scheduledFor) => {
  it.each(DECLINED)(`gives a row with %j a post that is ${status}`, async (fields) => {
    const { dry, real, sent } = await importRow(untimed, fields);

    const result = { connectionSlug: 'sandbox', scheduledFor, error: null };
    expect(dry).toEqual([
      { row: 1, status: 'valid', results: [{ ...result, status: 'valid', postId: null }], error: null },
    ]);
    expect(real).toEqual([{ row: 1, status: 'created', results: [{ ...result, status, postId: UUID }], error: null }]);
    expect(sent).toBe(untimed === 'now' ? 1 : 0);
  });

  it.each([
    [{ queue: true }, 'scheduled'],
    [{ queue: true, isDraft: false }, 'scheduled'],
    [{ isDraft: true }, 'draft'],
    [{ isDraft: true, queue: false }, 'draft'],
  ])('leaves a row with %j as it is', async (fields, own) => {
    const { real } = await importRow(untimed, fields);

    expect(real).toMatchObject([{ status: 'created', results: [{ status: own, error: null }] }]);
  });

  it.each([{ queue: 'maybe' }, { isDraft: 'maybe' }])('refuses a row with %j', async (fields) => {
    const { dry, real, sent } = await importRow(untimed, fields);

    const error = { code: 'invalid_request', message: expect.stringContaining('expected') };
    expect([dry, real, sent]).toEqual([
      [{ row: 1, status: 'failed', results: [], error }],
      [{ row: 1, status: 'failed', results: [], error }],
      0,
    ]);
  });
});
