/** Starts an install with the settings of this process's environment, and stops it gracefully. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { builtServer } from './built-server.js';
import type { Install } from './install.ts';

const ROOT = join(import.meta.dirname, '..');

/** Longest time a stop may take before remaining work is aborted. */
const STOP_TIMEOUT_MS = 14_000;

// Before any file is created: only the process's own user may read what it writes.
process.umask(0o077);

// Compiled code is kept beside the packages: anyone who can write there can change the code too. A folder that is not writable
// only means a slower start.
enableCompileCache(join(ROOT, 'node_modules/.cache/carillon'));

// Registered first: a stop during the start must not abort what the start has begun.
const askedToStop = Promise.withResolvers<string>();
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => askedToStop.resolve(signal));
// The timer keeps the process alive: a stop that waits for something that never comes must end with an error too.
void askedToStop.promise.then(() => setTimeout(giveUp, STOP_TIMEOUT_MS));

// Loaded now, because only what is loaded after the cache is enabled comes from it. The build loads much faster than the
// sources. They serve when there is none, or when they differ from it.
const { start, startFailure, fatalLine } = (await import(
  builtServer(ROOT) ?? join(import.meta.dirname, 'start.ts')
)) as typeof import('./start.ts');

// Node.js would print such an error with all of its fields, and a database error holds the values of its statement.
process.on('uncaughtException', (error) => fail(error));
process.on('unhandledRejection', (reason) => fail(reason));

let install: Install | undefined;
try {
  install = await start(process.env, (text) => process.stdout.write(text));
} catch (error) {
  process.stderr.write(`carillon: ${startFailure(error)}\n`);
  process.exit(1);
}

// A killed process does not write it.
flushCompileCache();

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
  process.stderr.write(`${fatalLine(error)}\n`);
  process.exit(1);
}
