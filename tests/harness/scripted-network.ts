/** Lets a test answer a world's calls to platforms itself, and collects the world's log. */
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

/** Returns the answer to a call; undefined sends the call to the network. */
export type Script = (url: URL, init: FetchInit) => ScriptedAnswer | undefined;

export interface ScriptedNetwork {
  /** The answers from now on; null sends every call to the network. */
  script: Script | null;
  /** The error of the mail server from now on; null accepts every message. */
  mailFailure: Error | null;
  /** Logged lines, at every level. */
  readonly logs: string[];
}

/** Replaces the world's network and log. */
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
