/**
 * What a log may hold of an error. Drivers and libraries put statements, parameters and received bodies into errors and
 * their messages, so only fields on a list are taken, and messages end where they begin to quote.
 */
import { ServiceError } from './service-error.ts';

export interface LoggableError {
  /** Class or name. */
  readonly type: string;
  /** An error code of the system, of PostgreSQL (SQLSTATE) or of ours. */
  readonly code?: string;
  /** First line, up to what it quotes, and without SQL. */
  readonly message?: string;
  /** Names from our own schema, where PostgreSQL gives them. */
  readonly constraint?: string;
  readonly table?: string;
  readonly column?: string;
  /** The places in the code, without the message that the first line of a stack repeats. */
  readonly stack?: string;
  readonly cause?: LoggableError;
  /** What an AggregateError holds, the first ones. */
  readonly errors?: readonly LoggableError[];
}

/** How far causes are followed, and how many errors of an aggregate are taken. */
const DEPTH_MAX = 5;
const AGGREGATED_MAX = 5;

const MESSAGE_MAX = 300;
const FRAMES_MAX = 20;

/** Codes of Node.js, undici and SQLSTATE; none of them is a secret in capitals. */
const CODE = /^[A-Z0-9][A-Z0-9_]{1,49}$/;
const NAME = /^[A-Za-z_$][\w$]{0,62}$/;

/** A line of a stack: a place in a file of ours, of a package or of Node.js. */
const FRAME =
  /^\s+at (?:[\w$.<>[\] #]+ \()?(?:async )?(?:file:\/\/|node:|\/|native|<anonymous>)[^\s()"'`]*(?::\d+){0,2}\)?$/;

/** A message ends where it begins to quote: what is quoted may hold quotation marks, and where it ends nothing tells. */
const QUOTED = /(?:["`“]|(?<!\w)').*$/;

/** In place of a message that holds values which cannot be told apart from it. */
const HIDDEN = '(hidden: it holds values)';

/** Words that only a statement has. */
const SQL = /\b(?:insert\s+into|update\s+\S+\s+set|delete\s+from|select\s|merge\s+into|values\s*\()/i;

/**
 * Reads the fields of an error that cannot hold a value. Anything may be thrown, so anything is taken.
 *
 * @returns a plain object without prototypes of the error; never throws, also for cycles and getters that throw
 */
export function loggableError(thrown: unknown): LoggableError {
  const parameters = new Set<string>();
  collectParameters(thrown, DEPTH_MAX, parameters);
  return describe(thrown, DEPTH_MAX, [...parameters]);
}

function describe(thrown: unknown, depth: number, parameters: readonly string[]): LoggableError {
  if (typeof thrown !== 'object' || thrown === null) return { type: thrown === null ? 'null' : typeof thrown };
  const described: Record<string, unknown> = { type: nameIn(thrown, 'name') ?? 'Object' };
  take(described, 'code', codeOf(thrown));
  take(described, 'message', messageOf(thrown, parameters));
  for (const field of ['constraint', 'table', 'column'] as const) take(described, field, nameIn(thrown, field));
  take(described, 'stack', stackOf(thrown));
  const { cause, errors } = nestedIn(thrown, depth);
  if (cause !== undefined) described['cause'] = describe(cause, depth - 1, parameters);
  if (errors.length > 0) described['errors'] = errors.map((error) => describe(error, depth - 1, parameters));
  return described as unknown as LoggableError;
}

/** The errors inside an error; none at the end of the depth, which also ends cycles. */
function nestedIn(thrown: object, depth: number): { cause: object | undefined; errors: object[] } {
  if (depth === 0) return { cause: undefined, errors: [] };
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
  const [cause, errors] = [read(thrown, 'cause'), read(thrown, 'errors')];
  const some = Array.isArray(errors) ? (errors as unknown[]).slice(0, AGGREGATED_MAX) : [];
  return { cause: isObject(cause) && cause !== thrown ? cause : undefined, errors: some.filter(isObject) };
}

/** The texts that drivers keep with the error of a statement: an error around it may repeat them. */
function collectParameters(thrown: unknown, depth: number, into: Set<string>): void {
  if (typeof thrown !== 'object' || thrown === null) return;
  const kept = [read(thrown, 'params'), read(thrown, 'parameters')].filter((values) => Array.isArray(values));
  for (const value of kept.flat() as unknown[]) if (typeof value === 'string' && value !== '') into.add(value);
  const { cause, errors } = nestedIn(thrown, depth);
  for (const inner of [cause, ...errors]) collectParameters(inner, depth - 1, into);
}

function take(described: Record<string, unknown>, field: string, value: string | undefined): void {
  if (value !== undefined) described[field] = value;
}

function read(thrown: object, field: string): unknown {
  try {
    return (thrown as Record<string, unknown>)[field];
  } catch {
    return undefined;
  }
}

function nameIn(thrown: object, field: string): string | undefined {
  const name = read(thrown, field);
  return typeof name === 'string' && NAME.test(name) ? name : undefined;
}

function codeOf(thrown: object): string | undefined {
  if (thrown instanceof ServiceError) return thrown.code;
  const code = read(thrown, 'code');
  return typeof code === 'string' && CODE.test(code) ? code : undefined;
}

function messageOf(thrown: object, parameters: readonly string[]): string | undefined {
  const message = read(thrown, 'message');
  if (typeof message !== 'string' || message === '') return undefined;
  const line = message.split(/[\r\n\u2028\u2029]/, 1)[0] ?? '';
  if (SQL.test(line) || parameters.some((value) => line.includes(value))) return HIDDEN;
  return line.replace(QUOTED, '…').slice(0, MESSAGE_MAX);
}

function stackOf(thrown: object): string | undefined {
  const stack = read(thrown, 'stack');
  if (typeof stack !== 'string') return undefined;
  const message = read(thrown, 'message');
  const places = typeof message === 'string' && message !== '' ? stack.replaceAll(message, '') : stack;
  const frames = places.split('\n').filter((line) => FRAME.test(line));
  return frames.length === 0 ? undefined : frames.slice(0, FRAMES_MAX).join('\n');
}
