/**
 * `npm run fuzz -- --seed 7 --requests 100000`: fuzzes under vitest, because the harness needs it, on the test
 * database.
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, requests: { type: 'string', default: '100000' } },
});

for (const [name, value] of Object.entries(values)) {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error(`--${name}: expected a whole number from 1, not "${value}"`);
}

const vitest = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'tests/fuzz'], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_SEED: values.seed, FUZZ_REQUESTS: values.requests },
});
vitest.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
