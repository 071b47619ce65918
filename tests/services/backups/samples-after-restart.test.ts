/** The status page of an install with scheduled backups, after a restart. */
import { expect, it } from 'vitest';
import { tables } from '../../../entities/tables.ts';
import { healthSamples } from '../../../jobs/health-samples.ts';
import { runRound } from '../../../jobs/run-round.ts';
import { newFolder, startEmbedded } from '../../harness/embedded-install.ts';

it('gets a sample of each minute, although the next backup is due in hours', async () => {
  const dataDir = await newFolder();
  const settings = { BACKUP_EVERY_HOURS: '24' };
  const before = await startEmbedded(dataDir, settings);
  await before.advance(3_600);
  await before.stop();

  const { context, rest } = await startEmbedded(dataDir, settings);
  await tables(context.db.queries).deleteFrom('health_samples').execute();
  await runRound(context, healthSamples, new AbortController().signal);

  expect((await rest('GET /health')).checks.backups).toMatchObject({ ok: true, lastRunAt: null });
  const samples = await tables(context.db.queries).selectFrom('health_samples').select('degraded').execute();
  expect(samples).toEqual([{ degraded: false }]);
});
