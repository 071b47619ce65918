/** The io of the process. */
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { systemClock } from '../server/clocks.ts';
import { systemRandom } from '../server/system-random.ts';
import { decoded } from './decoded.ts';
import type { Io, Output } from './io.ts';
import { receiveRedirect } from './receive-redirect.ts';

/** Columns of lines that do not go to a terminal, as far as help needs a width. */
const COLUMNS = 100;

export function systemIo(): Io {
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopping.abort());
  // A reader such as head leaves early: the command ends, without a trace of the stack.
  process.stdout.on('error', () => stopping.abort());
  const { stdin } = process;
  return {
    env: setVariables(process.env),
    fetch: globalThis.fetch,
    clock: systemClock,
    random: systemRandom(systemClock),
    stdin: { isTTY: Boolean(stdin.isTTY), read: async () => decoded(await buffer(stdin), 'Standard input') },
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    askSecret,
    openBrowser,
    receiveRedirect,
    signal: stopping.signal,
  };
}

/** An empty value counts as not set, as for the server (docs/configuration.md). */
function setVariables(env: NodeJS.ProcessEnv): Io['env'] {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}

function outputOf(stream: NodeJS.WriteStream): Output {
  return {
    isTTY: Boolean(stream.isTTY),
    columns: stream.isTTY ? stream.columns : COLUMNS,
    write: (text) => void stream.write(text),
    drain: () =>
      new Promise((resolve) => {
        if (!stream.writableNeedDrain || stream.destroyed) return resolve();
        for (const event of ['drain', 'close', 'error']) stream.once(event, () => resolve());
      }),
  };
}

async function askSecret(question: string): Promise<string | undefined> {
  // Loaded here, because the other commands ask nothing.
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({ message: question });
  return isCancel(answer) ? undefined : answer;
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

function openBrowser(url: string): void {
  const [command = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const opener = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  // Without a browser the person opens the printed address.
  opener.once('error', () => undefined);
  opener.unref();
}
