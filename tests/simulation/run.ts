/**
 * `npm run simulate -- --seed 7 --days 31 --runs 1`: simulates under vitest, because the harness needs it, on the test
 * database.
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '31' },
    /** This many seeds, one after the other. */
    runs: { type: 'string', default: '1' },
    /** A file that gets one line of JSON for each month that held. */
    results: { type: 'string' },
  },
});

const { results, ...numbers } = values;
for (const [name, value] of Object.entries(numbers)) {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error(`--${name}: expected a whole number from 1, not "${value}"`);
}

const vitest = spawn(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--reporter=verbose', 'tests/simulation'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      SIMULATE_SEED: values.seed,
      SIMULATE_DAYS: values.days,
      SIMULATE_RUNS: values.runs,
      ...(results !== undefined && { SIMULATE_RESULTS: results }),
    },
  },
);
// The end of this process ends the simulation too.
process.on('SIGTERM', () => vitest.kill('SIGTERM'));
vitest.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
