/** GET /status: the public health page, also when the database is down. */
import { describe, expect, it } from 'vitest';
import { serveApp } from '../harness/serve-app.ts';
import { startWorld } from '../harness/world.ts';

async function read(url: string): Promise<string> {
  const response = await fetch(`${url}/status`);
  expect(response.status).toBe(200);
  return response.text();
}

describe('the status page', () => {
  it('reports that all is well, and draws 90 days with a text alternative', async () => {
    await using world = await startWorld();
    await world.runDue();

    const text = await read(world.url);

    expect(text).toContain('<h1>All is well</h1>');
    expect(text.match(/<rect class="none"/g)).toHaveLength(89);
    expect(text.match(/<rect class="whole"/g)).toHaveLength(1);
    expect(text).toContain('aria-label="No degraded minute on the 1 day watched."');
    expect(text.match(/<th scope="row">/g)).toHaveLength(90);
    expect(text).toMatch(/<th scope="row">2026-11-21<\/th>\s*<td>100\.00 %<\/td>\s*<td>0<\/td>/);
  });

  it('reports what is degraded, and for how long on each day', async () => {
    await using world = await startWorld();
    await world.sql(`insert into health_samples values ('2026-11-20T12:00:00Z', false)`);

    const text = await read(world.url);

    expect(text).toContain('<h1>Something is degraded</h1>');
    expect(text).toMatch(/<dt>Database<\/dt>\s*<dd class="good">Works<\/dd>/);
    expect(text).toMatch(/<dt>Scheduled posts<\/dt>\s*<dd class="bad">Degraded<\/dd>/);
    expect(text).toContain('1439 degraded minutes on 2 of the 2 days watched.');
    expect(text.match(/<rect class="poor"/g)).toHaveLength(2);
  });

  it('reports scheduled backups that are degraded, and nothing of backups without a schedule', async () => {
    await using world = await startWorld();
    await world.runDue();
    const health = await world.context.health();
    const backups = { ok: false, lastRunAt: null, lastOkAt: null };
    const degraded = { ...health, status: 'degraded' as const, checks: { ...health.checks, backups } };

    const text = await read((await serveApp({ ...world.context, health: async () => degraded })).url);

    expect(text).toMatch(/<dt>Scheduled backups<\/dt>\s*<dd class="bad">Degraded<\/dd>/);
    expect(text).not.toContain('The service is starting.');
    expect(await read(world.url)).not.toContain('Scheduled backups');
  });

  it('reports that the service is starting when no check is degraded', async () => {
    await using world = await startWorld();
    await world.runDue();
    const health = { ...(await world.context.health()), status: 'degraded' as const };

    const text = await read((await serveApp({ ...world.context, health: async () => health })).url);

    expect(text).toContain('The service is starting.');
    expect(await read(world.url)).not.toContain('The service is starting.');
  });

  it('is available while the database is down', async () => {
    await using world = await startWorld();
    const context = {
      ...world.context,
      healthHistory: () => Promise.reject(new Error('connection refused')),
    };

    const text = await read((await serveApp(context)).url);

    expect(text).toContain('The history cannot be read at present.');
  });
});
