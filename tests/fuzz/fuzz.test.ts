/** For every request to the API, the answer arrives and the OpenAPI document declares it. */
import { expect, it } from 'vitest';
import { startWorld } from '../harness/world.ts';
import { fuzz } from './fuzz.ts';

const seed = process.env['FUZZ_SEED'] ?? '1';
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 1_000);

it(
  `${requests} requests made from the document with seed ${seed} get only answers that it declares`,
  { timeout: 60_000 + requests * 200 },
  async () => {
    const world = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } });
    const onProgress = (sent: number) => {
      if (sent > 0 && sent % 5_000 === 0) console.log(`${sent} sent`);
    };

    const report = await fuzz(world, { seed, requests, onProgress });

    if (requests > 1_000) console.log(JSON.stringify(report, null, 2));
    expect(report.failures).toEqual([]);
    expect(report.succeeded).toBeGreaterThan(requests < 1_000 ? 0 : report.operations * 0.5);
  },
);
