/** A second process on the world's database: a context with separate connections, clock and ids. PostgreSQL only. */
import { onTestFinished } from 'vitest';
import { openPostgres } from '../../entities/orm.ts';
import { createRuntime } from '../../server/runtime.ts';
import type { Runtime } from '../../server/runtime.ts';
import { databaseUrl } from './database.ts';
import { createSeededRandom } from './seeded-random.ts';
import type { World } from './world.ts';

/**
 * It closes when the test ends. To read the credentials that the world stored, start the world with ENCRYPTION_KEYS.
 */
export async function startPeer(world: World): Promise<Runtime> {
  const [row] = await world.sql<{ name: string }>('select current_database() as name');
  const db = await openPostgres(databaseUrl(row?.name ?? ''));
  const { config, clock, fetch, openSocket, receivers, log } = world.context;
  const random = createSeededRandom('peer', clock);
  const encryptionKeys = config.encryptionKeys ?? [random.bytes(32)];
  const peer = createRuntime({ config, clock, random, fetch, openSocket, receivers, db, encryptionKeys, log });
  onTestFinished(async () => {
    await Promise.all([peer.sends.drained(), peer.deliveries.drained()]);
    peer.images.close();
    await db.close();
  });
  return peer;
}
