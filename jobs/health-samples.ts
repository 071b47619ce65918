/**
 * healthSamples: notes once a minute how the service is. It looks more often, so that no minute is passed by. Safe to
 * run side by side: the first sample of a minute stays.
 */
import { takeSample } from '../services/health/health-samples.ts';
import type { Loop } from './loop.ts';

export const healthSamples: Loop = { name: 'healthSamples', run: takeSample };
