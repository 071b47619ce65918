/**
 * Key rotation: housekeeping encrypts all stored values again with the first key. Then the older key can be removed
 * (docs/operations.md#rotating-the-encryption-keys).
 */
import { describe, expect, it } from 'vitest';
import { housekeeping } from '../../../jobs/housekeeping.ts';
import { missingKeyMarks, reEncryptCredentials, SEALED } from '../../../services/credentials/re-encrypt-credentials.ts';
import { createVault, keyMark } from '../../../services/credentials/vault.ts';
import { addSigningKey } from '../../../services/oauth/signing-keys.ts';
import { blocksOf } from '../../docs/code-blocks.ts';
import { openBrowser } from '../../harness/browser.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { registerWebhook } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);

// Only an install on https has an app for Bluesky.
const PUBLIC_URL = 'https://bells.example';
const world = await startWorld({ env: { ENCRYPTION_KEYS: OLD.toString('base64'), PUBLIC_URL } });
const bytes = (length: number) => world.context.random.bytes(length);
const rotated = { ...world.context, vault: createVault([NEW, OLD], bytes) };
const dropped = { ...world.context, vault: createVault([NEW], bytes) };

/** All encrypted values, decrypted. */
async function decryptAll({ vault }: Pick<typeof world.context, 'vault'>): Promise<unknown[]> {
  const values = await Promise.all(
    SEALED.map(async ({ table, column }) => {
      const rows = await world.sql<{ id: string; sealed: string }>(
        `select id, ${column} as sealed from ${table} where ${column} is not null order by id`,
      );
      expect(rows, `${table}.${column} has values`).not.toEqual([]);
      return rows.map(({ id, sealed }) => ({ table, column, id, value: vault.open(sealed, id) }));
    }),
  );
  return values.flat();
}

/** The query with which operators of several processes wait for the end of step 2. */
function documentedQuery(): string {
  const [block, ...others] = blocksOf('docs/operations.md').filter(({ code }) => code.includes('split_part('));
  expect(others).toEqual([]);
  return block?.code ?? '';
}

describe('a key that was removed', () => {
  it('is reported as missing while stored credentials need it', async () => {
    expect(await missingKeyMarks(dropped)).toEqual(world.context.vault.keyMarks);
    expect(await missingKeyMarks(rotated)).toEqual([]);
  });

  it('is no longer needed after housekeeping, by any stored value', async () => {
    await connectSandbox(world);
    const webhook = await registerWebhook(world, 'http://127.0.0.1:9/hook');
    await world.rest(`POST /webhooks/${webhook.id}/rotate-secret`);
    await addSigningKey(world.context);
    await openBrowser(world).get('/connect/client/bluesky');
    const before = await decryptAll(world.context);
    expect(await world.sql(documentedQuery())).toEqual([{ mark: keyMark(OLD), count: before.length }]);

    const reEncrypted = await housekeeping.run(rotated, new AbortController().signal);

    expect(reEncrypted).toBe(before.length);
    expect(await decryptAll(dropped)).toEqual(before);
    expect(await world.sql(documentedQuery())).toEqual([{ mark: keyMark(NEW), count: before.length }]);
    expect(await missingKeyMarks(dropped)).toEqual([]);
    expect(await reEncryptCredentials(rotated)).toBe(0);
  });
});
