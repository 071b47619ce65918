/** Structured logs on standard output. This module removes every value that might hold a secret. */
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import { loggableError } from '../errors/loggable-error.ts';

/** Fields that could hold a secret. */
const SECRETS = [
  'headers',
  'authorization',
  'credentials',
  'credential',
  'secret',
  'password',
  'appPassword',
  'accessToken',
  '*.headers',
  '*.authorization',
  '*.credentials',
  '*.credential',
  '*.secret',
  '*.password',
  '*.appPassword',
  '*.accessToken',
];

/** Fields that hold a thrown value of any type. */
const THROWN = ['err', 'error', 'cause'];

/** How deep errors are searched for in logged values. */
const DEPTH_MAX = 4;

/** Where lines go besides, and the fields that are added to each of them. */
export interface LineObserver {
  fields(): object;
  receive(line: string): void;
}

/**
 * @param destination default: standard output
 * @param observer receives each line as it is written
 */
export function createLogger(level: string, destination?: DestinationStream, observer?: LineObserver): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (line) => withoutErrors(line) },
    // pino's own serializer copies every field of an error. Errors have already been replaced by descriptions here.
    serializers: { err: (described: unknown) => described },
    hooks: {
      logMethod(given, method) {
        method.apply(this, loggableArguments(given) as Parameters<typeof method>);
      },
    },
    redact: { paths: SECRETS, censor: '[hidden]' },
    ...(observer !== undefined && { mixin: () => observer.fields() }),
  };
  if (observer === undefined) return destination === undefined ? pino(options) : pino(options, destination);
  const written = destination ?? pino.destination(1);
  return pino(options, {
    write: (line) => {
      written.write(line);
      observer.receive(line);
    },
  });
}

/** Replaces every error in a line with the description that a log may hold. */
function withoutErrors(line: Record<string, unknown>): Record<string, unknown> {
  const described = Object.entries(line).map(([name, value]) => [
    name,
    THROWN.includes(name) && value !== null && value !== undefined ? loggableError(value) : describeErrors(value, 0),
  ]);
  return Object.fromEntries(described) as Record<string, unknown>;
}

function describeErrors(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return loggableError(value);
  if (depth >= DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((item) => describeErrors(item, depth + 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, describeErrors(inner, depth + 1)]));
}

/** pino uses an error's message for a line without a message, and formats errors into the message. */
function loggableArguments([first, message, ...rest]: readonly unknown[]): unknown[] {
  if (first instanceof Error) return [{ err: first }, textOf(message ?? 'an error'), ...rest.map(textOf)];
  if (typeof first !== 'object' || first === null) return [first, ...[message, ...rest].map(textOf)];
  const said = message ?? ('err' in first ? 'an error' : undefined);
  return [first, textOf(said), ...rest.map(textOf)];
}

function textOf(part: unknown): unknown {
  return part instanceof Error ? (loggableError(part).message ?? 'an error') : part;
}
