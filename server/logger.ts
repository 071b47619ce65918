/** Structured logs on standard output. Secrets never get into them: what might hold one is cut out here. */
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import { loggableError } from '../errors/loggable-error.ts';

/** Where a secret could stand in what is logged. */
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

/** Fields that hold what was thrown, of any type. */
const THROWN = ['err', 'error', 'cause'];

/** How deep errors are looked for in what is logged. */
const DEPTH_MAX = 4;

/** @param destination left out, standard output */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (line) => withoutErrors(line) },
    // pino's own serializer of errors copies every field; what gets here is a description already.
    serializers: { err: (described: unknown) => described },
    hooks: {
      logMethod(given, method) {
        method.apply(this, loggableArguments(given) as Parameters<typeof method>);
      },
    },
    redact: { paths: SECRETS, censor: '[hidden]' },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Every error in a line as the description that a log may hold. */
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

/** pino takes the message of an error for the message of a line that has none, and writes errors into a format. */
function loggableArguments([first, message, ...rest]: readonly unknown[]): unknown[] {
  if (first instanceof Error) return [{ err: first }, textOf(message ?? 'an error'), ...rest.map(textOf)];
  if (typeof first !== 'object' || first === null) return [first, ...[message, ...rest].map(textOf)];
  const said = message ?? ('err' in first ? 'an error' : undefined);
  return [first, textOf(said), ...rest.map(textOf)];
}

function textOf(part: unknown): unknown {
  return part instanceof Error ? (loggableError(part).message ?? 'an error') : part;
}
