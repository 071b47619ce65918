/** The manual clock continues from the latest instant that any run on its DATA_DIR reached or started at. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { acquireDataDirLock } from '../../server/data-dir-lock.ts';
import { startInstall } from '../../server/install.ts';
import { openManualClock } from '../../server/manual-clock.ts';

function newDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-clock-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  return dataDir;
}

it('an instant given as CLOCK_START counts as reached, even when time never moved', () => {
  const dataDir = newDataDir();
  const startedAt = (clockStart: string) =>
    openManualClock(readConfig({ DATA_DIR: dataDir, CLOCK: 'manual', CLOCK_START: clockStart }))
      .now()
      .toISOString();

  const instants = ['2027-03-01T08:00:00.000Z', '2027-01-01T00:00:00.000Z', '2027-03-02T00:00:00.000Z'].map(startedAt);

  expect(instants).toEqual(['2027-03-01T08:00:00.000Z', '2027-03-01T08:00:00.000Z', '2027-03-02T00:00:00.000Z']);
});

it('a start that is refused because another process has the DATA_DIR reaches no instant', async () => {
  const dataDir = newDataDir();
  const lock = await acquireDataDirLock(dataDir);
  onTestFinished(() => lock.release());
  const before = readdirSync(dataDir);
  const config = readConfig({ DATA_DIR: dataDir, CLOCK: 'manual', CLOCK_START: '2027-03-01T08:00:00Z' });

  const started = startInstall(config, { announce: () => undefined });

  await expect(started).rejects.toThrow('is in use by another Carillon server');
  expect(readdirSync(dataDir)).toEqual(before);
});
