/** The manual clock continues from the latest instant that any run on its DATA_DIR reached or started at. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { openManualClock } from '../../server/manual-clock.ts';

it('an instant given as CLOCK_START counts as reached, even when time never moved', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-clock-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const startedAt = (clockStart: string) =>
    openManualClock(readConfig({ DATA_DIR: dataDir, CLOCK: 'manual', CLOCK_START: clockStart }))
      .now()
      .toISOString();

  const instants = ['2027-03-01T08:00:00.000Z', '2027-01-01T00:00:00.000Z', '2027-03-02T00:00:00.000Z'].map(startedAt);

  expect(instants).toEqual(['2027-03-01T08:00:00.000Z', '2027-03-01T08:00:00.000Z', '2027-03-02T00:00:00.000Z']);
});
