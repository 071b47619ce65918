/** Shows how far a long command is: a bar on a terminal, otherwise a line for each change. Not part of the answer. */
import type { Call } from './command.ts';

const BAR = 24;

/** Moves to the beginning of the line and clears it. */
const RENEW_LINE = '\r\u001B[K';

export interface Progress {
  readonly show: (done: number, total: number, unit: string) => void;
  /** Removes the bar, so that other lines can follow. */
  readonly end: () => void;
}

export function progressOf({ io: { stderr, env }, report }: Pick<Call, 'io' | 'report'>): Progress {
  const hasBar = stderr.isTTY && env['TERM'] !== 'dumb';
  let last = '';
  return {
    show: (done, total, unit) => {
      const text = `${done} of ${total} ${unit}`;
      const filled = total === 0 ? BAR : Math.floor((BAR * done) / total);
      if (hasBar) stderr.write(`${RENEW_LINE}[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}] ${text}`);
      else report(text);
      last = text;
    },
    end: () => {
      if (hasBar && last !== '') stderr.write(RENEW_LINE);
    },
  };
}
