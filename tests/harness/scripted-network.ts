/** Lets a test answer the calls of a world to platforms itself, and keeps what the world logs. */
import { pino } from 'pino';
import type { FetchInit } from '../../platforms/contract.ts';
import type { MailServer } from '../../platforms/mail.ts';
import type { World } from './world.ts';

export interface ScriptedAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

/** Gives the answer to a call; undefined lets the call go out. */
export type Script = (url: URL, init: FetchInit) => ScriptedAnswer | undefined;

export interface ScriptedNetwork {
  /** What answers from now on; null lets every call go out. */
  script: Script | null;
  /** What the mail server throws from now on; null lets every message go out. */
  mailFailure: Error | null;
  /** Lines that were logged, at every level. */
  readonly logs: string[];
}

/** Takes the place of the world's network and log. */
export function scriptNetwork(world: World): ScriptedNetwork {
  const { fetch, mail } = world.context;
  const network: ScriptedNetwork = { script: null, mailFailure: null, logs: [] };
  const log = pino({ level: 'trace' }, { write: (line: string) => void network.logs.push(line) });
  const failing = async (work: () => Promise<void>) => {
    if (network.mailFailure !== null) throw network.mailFailure;
    await work();
  };
  const scripted: MailServer | null = mail && {
    ...mail,
    verify: (signal) => failing(() => mail.verify(signal)),
    send: (message, signal) => failing(() => mail.send(message, signal)),
  };
  Object.assign(world.context, {
    log,
    mail: scripted,
    fetch: async (url: string | URL, init: FetchInit = {}) => {
      const answer = network.script?.(new URL(url), init);
      if (answer === undefined) return fetch(url, init);
      const type = answer.json === undefined ? 'text/plain' : 'application/json';
      const body = answer.json === undefined ? (answer.text ?? null) : JSON.stringify(answer.json);
      const isEmpty = answer.status === 204;
      const headers = { 'content-type': type, ...answer.headers };
      return new Response(isEmpty ? null : body, { status: answer.status, headers });
    },
  });
  return network;
}
