/**
 * Selects what a log may contain of an error. Drivers and libraries put statements, parameters and received bodies into
 * errors and their messages. Therefore only listed fields are copied, and a message is cut where its first quotation
 * begins.
 */
import { ServiceError } from './service-error.ts';

export interface LoggableError {
  /** Class or name. */
  readonly type: string;
  /** Error code of the system, of PostgreSQL (SQLSTATE) or of this service. */
  readonly code?: string;
  /** First line, up to its first quotation, and without SQL. */
  readonly message?: string;
  /** Names from the service's schema, if PostgreSQL reports them. */
  readonly constraint?: string;
  readonly table?: string;
  readonly column?: string;
  /** The stack frames, without the message that the first line of a stack repeats. */
  readonly stack?: string;
  readonly cause?: LoggableError;
  /** The first errors of an AggregateError. */
  readonly errors?: readonly LoggableError[];
}

/** How many levels of causes are followed, and how many errors of an aggregate are included. */
const DEPTH_MAX = 5;
const AGGREGATED_MAX = 5;

const MESSAGE_MAX = 300;
const FRAMES_MAX = 20;

/** Codes of Node.js, undici and SQLSTATE; none of them is a secret in capitals. */
const CODE = /^[A-Z0-9][A-Z0-9_]{1,49}$/;
const NAME = /^[A-Za-z_$][\w$]{0,62}$/;

/** A stack frame: a location in a file of this service, of a package or of Node.js. */
const FRAME =
  /^\s+at (?:[\w$.<>[\] #]+ \()?(?:async )?(?:file:\/\/|node:|\/|native|<anonymous>)[^\s()"'`]*(?::\d+){0,2}\)?$/;

/** A message is cut at its first quotation: the quoted text may contain quotation marks, so its end cannot be found. */
const QUOTED = /(?:["`“]|(?<!\w)').*$/;

/** Replaces a message with values that cannot be separated from it. */
const HIDDEN = '(hidden: it holds values)';

/** Words that occur only in SQL statements. */
const SQL = /\b(?:insert\s+into|update\s+\S+\s+set|delete\s+from|select\s|merge\s+into|values\s*\()/i;

/**
 * Reads the fields of an error that cannot contain a value. Accepts any thrown value.
 *
 * @returns a plain object without the error's prototypes; never throws, also for cycles and getters that throw
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

/** The errors inside an error; none at the maximum depth, which also ends cycles. */
function nestedIn(thrown: object, depth: number): { cause: object | undefined; errors: object[] } {
  if (depth === 0) return { cause: undefined, errors: [] };
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
  const [cause, errors] = [read(thrown, 'cause'), read(thrown, 'errors')];
  const some = Array.isArray(errors) ? (errors as unknown[]).slice(0, AGGREGATED_MAX) : [];
  return { cause: isObject(cause) && cause !== thrown ? cause : undefined, errors: some.filter(isObject) };
}

/** The parameters that drivers attach to the error of a statement: a wrapping error may repeat them. */
function collectParameters(thrown: unknown, depth: number, into: Set<string>): void {
  if (typeof thrown !== 'object' || thrown === null) return;
  const lists = [read(thrown, 'params'), read(thrown, 'parameters')].filter((values) => Array.isArray(values));
  for (const value of lists.flat() as unknown[]) if (typeof value === 'string' && value !== '') into.add(value);
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
