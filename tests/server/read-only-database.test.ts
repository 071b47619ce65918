/** A database that answers and refuses writes counts as down until it accepts them (docs/operations.md#failover). */
import { expect, it, onTestFinished } from 'vitest';
import { onServer } from '../harness/database.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

/** Has the database of the world refuse or accept writes, on every connection. */
async function setWritable(isWritable: boolean): Promise<void> {
  const value = isWritable ? 'off' : 'on';
  if (world.db.engine === 'pglite') {
    await world.sql(`set default_transaction_read_only = ${value}`);
    return;
  }
  const [{ name } = { name: '' }] = await world.sql<{ name: string }>('select current_database() as name');
  await onServer(`alter database "${name}" set default_transaction_read_only = ${value}`);
  // Connections that are open keep the default that they began with. The next probe must not take one that is still ending.
  await onServer(`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`);
}

/** What operators and orchestrators are shown, once the cached answer of `GET /health` has expired. */
async function shown() {
  world.clock.advance(10_000);
  const [probe, metrics, health] = await Promise.all([
    fetch(`${world.url}/readyz`),
    fetch(`${world.url}/metrics`).then((answer) => answer.text()),
    world.rest('GET /health', { key: null }),
  ]);
  return {
    probe: [probe.status, await probe.text()],
    metric: /^carillon_ready \d$/m.exec(metrics)?.[0],
    health: [health.status, health.body.status, health.body.checks.database],
  };
}

it('is not ready and not healthy while it is read-only, and is both again afterwards', async () => {
  await world.runDue();
  const latencyMs = expect.any(Number) as number;
  const well = {
    probe: [200, 'ok\n'],
    metric: 'carillon_ready 1',
    health: [200, 'ok', { ok: true, latencyMs }],
  };
  expect(await shown()).toEqual(well);

  onTestFinished(() => setWritable(true));
  await setWritable(false);

  expect(await shown()).toEqual({
    probe: [503, 'not ready\n'],
    metric: 'carillon_ready 0',
    health: [200, 'degraded', { ok: false, latencyMs }],
  });
  await setWritable(true);
  expect(await shown()).toEqual(well);
});
