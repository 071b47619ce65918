/**
 * Key rotation: housekeeping encrypts credentials and webhook secrets again with the first key. Then the older key can
 * be removed.
 */
import { describe, expect, it } from 'vitest';
import { housekeeping } from '../../../jobs/housekeeping.ts';
import { missingKeyMarks, reEncryptCredentials } from '../../../services/credentials/re-encrypt-credentials.ts';
import { createVault } from '../../../services/credentials/vault.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { registerWebhook } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);

const world = await startWorld({ env: { ENCRYPTION_KEYS: OLD.toString('base64') } });
const bytes = (length: number) => world.context.random.bytes(length);
const rotated = { ...world.context, vault: createVault([NEW, OLD], bytes) };
const dropped = { ...world.context, vault: createVault([NEW], bytes) };

async function encryptedCredentials(): Promise<{ id: string; credentials: string }[]> {
  return world.sql('select id, credentials from connections where credentials is not null order by id');
}

describe('a key that was removed', () => {
  it('is reported as missing while stored credentials need it', async () => {
    expect(await missingKeyMarks(dropped)).toEqual(world.context.vault.keyMarks);
    expect(await missingKeyMarks(rotated)).toEqual([]);
  });

  it('is no longer needed after housekeeping', async () => {
    await connectSandbox(world);
    const webhook = await registerWebhook(world, 'http://127.0.0.1:9/hook');
    const { body } = await world.rest(`POST /webhooks/${webhook.id}/rotate-secret`);
    const before = await encryptedCredentials();
    const decrypted = before.map(({ id, credentials }) => world.context.vault.open(credentials, id));

    const reEncrypted = await housekeeping.run(rotated, new AbortController().signal);

    const after = await encryptedCredentials();
    expect(reEncrypted).toBe(4);
    expect(after.map(({ id, credentials }) => dropped.vault.open(credentials, id))).toEqual(decrypted);
    const [row] = await world.sql<{ secret: string; previous_secret: string }>('select * from webhooks');
    expect(dropped.vault.open(row?.secret ?? '', webhook.id)).toBe(body.webhook.secret);
    expect(dropped.vault.open(row?.previous_secret ?? '', webhook.id)).toBe(webhook.secret);
    expect(await missingKeyMarks(dropped)).toEqual([]);
    expect(await reEncryptCredentials(rotated)).toBe(0);
  });
});
