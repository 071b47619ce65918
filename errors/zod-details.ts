/** Describes what is wrong with an input: each issue with its path, what was expected and what was received. */
import type { ZodError } from 'zod';
import type { ErrorDetail } from './service-error.ts';

/** Longest part of the input that is quoted. */
const QUOTE_MAX = 80;

/**
 * @param input what was parsed; the received values are read from it
 * @param prefix path of the parsed value inside the request
 */
export function zodDetails(error: ZodError, input: unknown, prefix: readonly string[] = []): ErrorDetail[] {
  return error.issues.map((issue) => {
    const path = [...prefix, ...issue.path.map(String)];
    const received = quotable(issue, path) ? valueAt(input, path) : undefined;
    return {
      path: path.join('.'),
      expected: expectation(issue),
      ...(received === undefined ? {} : { received: quote(received) }),
    };
  });
}

/** Whether the received value is quoted: never a secret, and never a whole object because of one unknown field. */
function quotable(issue: ZodError['issues'][number], path: readonly string[]): boolean {
  return issue.code !== 'unrecognized_keys' && !path.includes('credentials');
}

function expectation(issue: ZodError['issues'][number]): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `no field called ${issue.keys.map((key) => `"${key.slice(0, QUOTE_MAX)}"`).join(' or ')}`;
    case 'invalid_type':
      return article(issue.expected);
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return `at most ${issue.maximum} ${unit(issue.origin, issue.maximum)}`.trim();
    case 'too_small':
      return `at least ${issue.minimum} ${unit(issue.origin, issue.minimum)}`.trim();
    default:
      return issue.message;
  }
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function unit(origin: string, count: number | bigint): string {
  const units: Record<string, string> = { string: 'character', array: 'item' };
  const one = units[origin];
  if (one === undefined) return '';
  return Number(count) === 1 ? one : `${one}s`;
}

function valueAt(input: unknown, path: readonly string[]): unknown {
  let value: unknown = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > QUOTE_MAX ? `${text.slice(0, QUOTE_MAX)}…` : text;
}
