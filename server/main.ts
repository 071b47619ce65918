/** Starts an install: reads the environment, opens the database, serves, runs background work, and stops gracefully. */
import { loggableError } from '../errors/loggable-error.ts';
import { ConfigError, readConfig } from './config.ts';
import { type Install, startInstall } from './install.ts';

/** Longest time a stop may take before remaining work is aborted. */
const STOP_TIMEOUT_MS = 14_000;

// Before any file is created: only the process's own user may read what it writes.
process.umask(0o077);

// Node.js would print such an error with all of its fields, and a database error holds the values of its statement.
process.on('uncaughtException', (error) => fail(error));
process.on('unhandledRejection', (reason) => fail(reason));

// Registered first: a stop during the start must not abort what the start has begun.
const askedToStop = Promise.withResolvers<string>();
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => askedToStop.resolve(signal));
void askedToStop.promise.then(() => setTimeout(giveUp, STOP_TIMEOUT_MS).unref());

let install: Install | undefined;
try {
  install = await startInstall(readConfig(process.env), { announce: (text) => process.stdout.write(text) });
} catch (error) {
  process.stderr.write(`carillon: ${startFailure(error)}\n`);
  process.exit(1);
}

const { log } = install.context;
log.info({ signal: await askedToStop.promise }, 'stopping: work in progress is finished first');
try {
  await install.stop();
  process.exit(0);
} catch (error) {
  log.error({ err: error }, 'the stop failed; what is left will be recovered at the next start');
  process.exit(1);
}

function giveUp(): never {
  install?.context.log.error('the stop took too long; what is left will be recovered at the next start');
  process.exit(1);
}

/** Ends the process, as Node.js does after an uncaught error. */
function fail(error: unknown): never {
  const line = {
    level: 'fatal',
    err: loggableError(error),
    msg: 'the process ends after an uncaught error',
  };
  process.stderr.write(`${JSON.stringify(line)}\n`);
  process.exit(1);
}

/** One line that tells the operator what to correct. */
function startFailure(error: unknown): string {
  // Only a ConfigError is written for people; other errors may hold the values of a statement.
  if (error instanceof ConfigError) return error.message.split('\n')[0] ?? '';
  const { type, code, message } = loggableError(error);
  return ['the start failed', [type, code].filter(Boolean).join(' '), message].filter(Boolean).join(': ');
}
