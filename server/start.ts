/**
 * Starts one install with the settings of an environment: all that a process needs once it has prepared itself. It is the
 * module that scripts/build-server.ts builds.
 */
import { loggableError } from '../errors/loggable-error.ts';
import { trustOutputs } from '../routers/trust-outputs.ts';
import { ConfigError, readConfig } from './config.ts';
import { freeStartMemory } from './free-start-memory.ts';
import { type Install, startInstall } from './install.ts';

/**
 * @param announce writes to the operator
 * @throws Error that `startFailure` states in one line
 */
export async function start(
  environment: Readonly<Record<string, string | undefined>>,
  announce: (text: string) => void,
): Promise<Install> {
  trustOutputs();
  const install = await startInstall(readConfig(environment), { announce });
  freeStartMemory();
  return install;
}

/** One line that tells the operator what to correct. */
export function startFailure(error: unknown): string {
  // Only a ConfigError is written for people; other errors may hold the values of a statement.
  if (error instanceof ConfigError) return error.message.split('\n')[0] ?? '';
  const { type, code, message } = loggableError(error);
  return ['the start failed', [type, code].filter(Boolean).join(' '), message].filter(Boolean).join(': ');
}

/** The last line of a process that an error ends. */
export function fatalLine(error: unknown): string {
  return JSON.stringify({
    level: 'fatal',
    err: loggableError(error),
    msg: 'the process ends after an uncaught error',
  });
}
