/** A broken rule, as the API returns it. */
import { timestampOrNull } from '../timestamp.ts';
import type { Violation } from './policy-violations.ts';

export interface ViolationView {
  rule: Violation['rule'];
  effect: Violation['effect'];
  message: string;
  retryAt: string | null;
}

export function violationView({ rule, effect, message, retryAt }: Violation): ViolationView {
  return { rule, effect, message, retryAt: timestampOrNull(retryAt) };
}
