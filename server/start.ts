/**
 * The life of a process that serves one install: it starts with the settings of its environment, and ends when it is asked to.
 * It is the module that scripts/build-server.ts builds.
 */
import { flushCompileCache } from 'node:module';
import { loggableError } from '../errors/loggable-error.ts';
import { trustOutputs } from '../routers/trust-outputs.ts';
import { ConfigError, readConfig } from './config.ts';
import { freeStartMemory } from './free-start-memory.ts';
import { type Install, startInstall } from './install.ts';

/** Longest time a stop may take before remaining work is aborted. */
const STOP_TIMEOUT_MS = 14_000;

/**
 * Ends the process: with 0 after a stop that finished everything, otherwise with 1.
 *
 * @param askedToStop resolves with the signal that asks for a stop, which may come during the start
 */
export async function start(askedToStop: Promise<string>): Promise<never> {
  let install: Install | undefined;
  // The timer keeps the process alive: a stop that waits for something that never comes must end with an error too.
  void askedToStop.then(() => setTimeout(() => giveUp(install), STOP_TIMEOUT_MS));
  // Node.js would print such an error with all of its fields, and a database error holds the values of its statement.
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  try {
    trustOutputs();
    install = await startInstall(readConfig(process.env), { announce: (text) => process.stdout.write(text) });
  } catch (error) {
    process.stderr.write(`carillon: ${startFailure(error)}\n`);
    process.exit(1);
  }
  freeStartMemory();
  // A killed process does not write it.
  flushCompileCache();
  return stop(install, await askedToStop);
}

async function stop(install: Install, signal: string): Promise<never> {
  const { log } = install.context;
  log.info({ signal }, 'stopping: work in progress is finished first');
  try {
    await install.stop();
    process.exit(0);
  } catch (error) {
    log.error({ err: error }, 'the stop failed; what is left will be recovered at the next start');
    process.exit(1);
  }
}

function giveUp(install: Install | undefined): never {
  install?.context.log.error('the stop took too long; what is left will be recovered at the next start');
  process.exit(1);
}

/** One line that tells the operator what to correct. */
function startFailure(error: unknown): string {
  // Only a ConfigError is written for people; other errors may hold the values of a statement.
  if (error instanceof ConfigError) return error.message.split('\n')[0] ?? '';
  const { type, code, message } = loggableError(error);
  return ['the start failed', [type, code].filter(Boolean).join(' '), message].filter(Boolean).join(': ');
}

/** Ends the process, as Node.js does after an uncaught error. Its last line says why. */
function fail(error: unknown): never {
  const line = { level: 'fatal', err: loggableError(error), msg: 'the process ends after an uncaught error' };
  process.stderr.write(`${JSON.stringify(line)}\n`);
  process.exit(1);
}
