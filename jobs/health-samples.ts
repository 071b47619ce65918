/**
 * healthSamples: records the health of the service once a minute. It runs more often, so that no minute is missed. Safe
 * to run in parallel: the first sample of a minute is kept.
 */
import { takeSample } from '../services/health/health-samples.ts';
import type { Loop } from './loop.ts';

export const healthSamples: Loop = { name: 'healthSamples', run: takeSample };
