/** Runs a command of the suites to its end. */
import { execFile } from 'node:child_process';
import { REPOSITORY } from '../crash/server-process.ts';
import { suiteCommand } from './ensure-suite.ts';

export interface Ran {
  readonly code: number;
  /** Its whole output. */
  readonly output: string;
  readonly stdout: string;
}

/** @param received receives its output as it arrives */
export function runCommand(
  name: Parameters<typeof suiteCommand>[0],
  parameters: readonly string[],
  received: (text: string) => void = () => undefined,
): Promise<Ran> {
  const { PATH = '', HOME = '' } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [suiteCommand(name), ...parameters],
      { cwd: REPOSITORY, env: { PATH, HOME }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, output: `${stdout}\n${stderr}` });
      },
    );
    child.stdout?.on('data', received);
    child.stdin?.end();
  });
}
