/** One check of the doctor: what was measured, and what the operator should do (docs/guide/doctor.md). */
import { loggableError } from '../../errors/loggable-error.ts';

export type CheckStatus = 'ok' | 'warning' | 'failed' | 'not checked';

export interface CheckOutcome {
  readonly status: CheckStatus;
  /** What was found, in one line without secrets. */
  readonly measured: string;
  /** What to do; null when there is nothing to do. */
  readonly action: string | null;
}

export interface Check extends CheckOutcome {
  readonly name: string;
}

export interface DoctorReport {
  /** The worst status of the checks; those that were not made do not count. */
  readonly status: Exclude<CheckStatus, 'not checked'>;
  /** Version of Carillon that made the checks. */
  readonly version: string;
  readonly checks: readonly Check[];
}

export const ok = (measured: string): CheckOutcome => ({ status: 'ok', measured, action: null });
export const warning = (measured: string, action: string): CheckOutcome => ({ status: 'warning', measured, action });
export const failed = (measured: string, action: string): CheckOutcome => ({ status: 'failed', measured, action });
export const notChecked = (measured: string, action: string | null = null): CheckOutcome => ({
  status: 'not checked',
  measured,
  action,
});

/** A check that throws has failed; a database error may hold values, so only its code and safe message show. */
export async function runCheck(name: string, work: () => Promise<CheckOutcome> | CheckOutcome): Promise<Check> {
  try {
    return { name, ...(await work()) };
  } catch (error) {
    const { type, code, message } = loggableError(error);
    const found = [code, message ?? type].filter(Boolean).join(': ');
    return { name, ...failed(`The check failed: ${found}.`, 'Look at the log of the server.') };
  }
}

export function reportOf(version: string, checks: readonly Check[]): DoctorReport {
  const has = (status: CheckStatus) => checks.some((check) => check.status === status);
  return { status: has('failed') ? 'failed' : has('warning') ? 'warning' : 'ok', version, checks };
}
