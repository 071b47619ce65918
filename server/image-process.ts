/** One process that decodes and encodes images, as the server controls it. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { childEnvironment } from '../entities/child-environment.ts';
import { type ImageAnswer, type ImageJob, ImageProcessEnded } from '../services/images/image-job.ts';

const WORKER = join(import.meta.dirname, 'image-worker.ts');

/** Characters of a process's standard error that are kept for the log. */
const WORDS_MAX = 500;

export interface ImageProcess {
  readonly pid: number | undefined;
  /** Resolves when the process can take a job; rejects with ImageProcessEnded. */
  readonly ready: Promise<void>;
  /** @throws ImageProcessEnded when the process ends before it answers */
  call(job: ImageJob): Promise<ImageAnswer>;
  /** Ends the process at once, even during native work. */
  kill(): void;
}

/** @param ended is called once, however the process ended */
export function startImageProcess(ended: () => void): ImageProcess {
  const child = fork(WORKER, [], {
    execPath: process.execPath,
    execArgv: [],
    // Without this, glibc keeps the memory of each thread that has ever decoded an image.
    env: { ...childEnvironment(), MALLOC_ARENA_MAX: '2' },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const end = endOf(child);
  const messages = messagesOf(child, end);
  void end.catch(ended);
  const ready = messages.next().then(() => undefined);
  ready.catch(() => undefined);
  release(child);
  return {
    pid: child.pid,
    ready,
    call: async (job) => {
      hold(child);
      try {
        const answer = messages.next();
        // An error that prevents the sending also ends the process, and that end is reported.
        child.send(job, () => undefined);
        return (await answer) as ImageAnswer;
      } finally {
        release(child);
      }
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Rejects when the process is gone. */
function endOf(child: ChildProcess): Promise<never> {
  let words = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    words = `${words}${chunk.toString()}`.slice(-WORDS_MAX);
  });
  return new Promise((_resolve, reject) => {
    child.once('error', (cause) => reject(new ImageProcessEnded('an image process could not be started', { cause })));
    child.once('exit', (code, signal) => {
      reject(new ImageProcessEnded(`an image process ended (${signal ?? code}) ${words}`.trim()));
    });
  });
}

/** The next message of the process; it sends one message for each job. */
function messagesOf(child: ChildProcess, end: Promise<never>): { next(): Promise<unknown> } {
  const next = () => Promise.race([new Promise((resolve) => child.once('message', resolve)), end]);
  return { next };
}

/** Keeps this process alive while the other one works. */
function hold(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

/** An idle process keeps nothing alive. */
function release(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  (child.stderr as unknown as { unref?: () => void } | null)?.unref?.();
}
