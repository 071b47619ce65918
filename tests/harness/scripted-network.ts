/** Lets a test answer a world's calls to platforms itself, and collects the world's log. */
import { pino } from 'pino';
import type { FetchInit } from '../../platforms/contract.ts';
import type { MessageSocket } from '../../platforms/io.ts';
import type { MailServer } from '../../platforms/mail.ts';
import type { World } from './world.ts';

export interface ScriptedAnswer {
  readonly status: number;
  readonly json?: unknown;
  /** Over a WebSocket: the words with which each event and each question is refused. */
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
  const { fetch, openSocket, mail } = world.context;
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
    openSocket: async (url: string, init: { signal?: AbortSignal } = {}) => {
      const answer = network.script?.(new URL(url), {});
      return answer === undefined ? openSocket(url, init) : refusingSocket(answer.text ?? '');
    },
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

/** A relay of Nostr that refuses everything. */
function refusingSocket(words: string): MessageSocket {
  const answers: string[] = [];
  return {
    send: (text) => {
      const [type, subject] = JSON.parse(text) as [string, { id: string } & string];
      answers.push(JSON.stringify(type === 'EVENT' ? ['OK', subject.id, false, words] : ['CLOSED', subject, words]));
    },
    next: async () => answers.shift() ?? null,
    close: () => undefined,
  };
}
