/** What a command takes from the machine. Tests pass their own. */
import type { Clock, Random } from '../services/clock.ts';
import type { Redirect } from './receive-redirect.ts';

/** An output stream. */
export interface Output {
  /** Whether a person reads it on a terminal. */
  readonly isTTY: boolean;
  /** Width of the terminal in columns. */
  readonly columns: number;
  readonly write: (text: string) => void;
  /** Resolves when the reader has taken what was written, or has left. */
  readonly drain: () => Promise<void>;
}

/** An input stream. */
export interface Input {
  readonly isTTY: boolean;
  /** Reads it to its end. */
  readonly read: () => Promise<string>;
}

export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Asks for a secret on the terminal, without echo. Undefined when the person cancels. */
  readonly askSecret: (question: string) => Promise<string | undefined>;
  /** Opens an address in the browser of this machine. Does nothing when there is none. */
  readonly openBrowser: (url: string) => void;
  /** Listens at a loopback address for one redirect of the browser. */
  readonly receiveRedirect: () => Promise<Redirect>;
  /** Aborts when the person ends the command. */
  readonly signal: AbortSignal;
}
