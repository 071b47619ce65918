/**
 * retention: removes expired rows in small steps, once a minute; a round that reaches its limit of steps is continued by
 * the next one. Safe to run in parallel.
 */
import { enforceRetention } from '../services/retention/enforce-retention.ts';
import type { Loop } from './loop.ts';

export const retention: Loop = { name: 'retention', run: enforceRetention };
