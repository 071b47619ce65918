/** Starts an install: reads the environment, opens the database, serves, runs background work, and stops gracefully. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { loggableError } from '../errors/loggable-error.ts';
import type { Install } from './install.ts';

/** Longest time a stop may take before remaining work is aborted. */
const STOP_TIMEOUT_MS = 14_000;

// Before any file is created: only the process's own user may read what it writes.
process.umask(0o077);

// Node.js would print such an error with all of its fields, and a database error holds the values of its statement.
process.on('uncaughtException', (error) => fail(error));
process.on('unhandledRejection', (reason) => fail(reason));

// Compiled code is kept beside the packages: anyone who can write there can change the code too. A folder that is not writable
// only means a slower start.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/carillon'));

// Registered first: a stop during the start must not abort what the start has begun.
const askedToStop = Promise.withResolvers<string>();
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => askedToStop.resolve(signal));
// The timer keeps the process alive: a stop that waits for something that never comes must end with an error too.
void askedToStop.promise.then(() => setTimeout(giveUp, STOP_TIMEOUT_MS));

// Loaded now, because only what is loaded after the cache is enabled comes from it.
const { ConfigError, readConfig } = await import('./config.ts');
const { startInstall } = await import('./install.ts');
const { freeStartMemory } = await import('./free-start-memory.ts');
const { trustOutputs } = await import('../routers/trust-outputs.ts');

trustOutputs();

let install: Install | undefined;
try {
  install = await startInstall(readConfig(process.env), { announce: (text) => process.stdout.write(text) });
} catch (error) {
  process.stderr.write(`carillon: ${startFailure(error)}\n`);
  process.exit(1);
}

// A killed process does not write it.
flushCompileCache();
freeStartMemory();

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
