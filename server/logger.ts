/** Structured logs on standard output. Secrets never get into them: what might hold one is cut out here. */
import { type Logger, pino, stdTimeFunctions } from 'pino';

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
  'err.config',
  'err.parameters',
];

export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRETS, censor: '[hidden]' },
  });
}
