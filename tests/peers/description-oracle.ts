/**
 * Checks calls against a platform's own description of its API. Every call from an adapter to a fake also goes to the
 * oracle, which returns the fake's answer and records each mismatch of call and answer.
 */
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlatformIo } from '../../platforms/contract.ts';
import { ensureOracle, ORACLE_CACHE } from './ensure-peers.ts';

/** What the oracle recorded about a call; `bad` when it found a mismatch. */
interface Seen {
  readonly bad?: 'request' | 'response';
}

interface Oracle {
  readonly url: string;
  readonly seen: readonly Seen[];
  close(): Promise<void>;
}

type StartOracle = (
  file: string,
  answers: Readonly<Record<string, () => [status: number, body: unknown]>>,
  options: { readonly looseQuery: boolean },
) => Promise<Oracle>;

export interface Verdict {
  /** Described calls that were made, each once, such as `POST /sendMessage`. */
  readonly calls: readonly string[];
  /** The mismatches of calls and answers; empty when there are none. */
  readonly complaints: readonly Seen[];
}

export interface Trial {
  /** Path of the oracle's script. */
  readonly script: string;
  /** Path of the description. */
  readonly description: string;
  /** Base path of the platform's API, which the description omits. */
  readonly base: string;
  /** Whether queries may have names that the description does not know. */
  readonly looseQuery?: boolean;
  /** The fetch function that the adapter uses to reach the fake. */
  readonly io: PlatformIo;
  readonly scenario: (io: PlatformIo) => Promise<void>;
}

export async function checkAgainstDescription({
  script,
  description,
  base,
  looseQuery = false,
  io,
  scenario,
}: Trial): Promise<Verdict> {
  const described = await readCalls(description);
  const made = new Set<string>();
  let latest: [status: number, body: unknown] = [500, undefined];
  const start = await startOracle(script);
  const oracle = await start(description, Object.fromEntries(described.map(({ key }) => [key, () => latest])), {
    looseQuery,
  });

  const fetch: PlatformIo['fetch'] = async (url, init = {}) => {
    const answer = await io.fetch(url, init);
    const text = await answer.text();
    const { pathname, search } = new URL(url);
    const path = pathname.slice(base.length);
    const call = described.find(({ method, pattern }) => method === (init.method ?? 'GET') && pattern.test(path));
    if (call !== undefined) {
      latest = [answer.status, text === '' ? undefined : JSON.parse(text)];
      made.add(call.key);
      await io.fetch(`${oracle.url}${path}${search}`, init);
    }
    return new Response(text === '' ? null : text, { status: answer.status, headers: answer.headers });
  };
  try {
    await scenario({ ...io, fetch });
  } finally {
    await oracle.close();
  }
  return { calls: [...made].toSorted(), complaints: oracle.seen.filter(({ bad }) => bad !== undefined) };
}

/** The calls of a description; `key` is the oracle's name for one, such as `POST /channels/{channel_id}/messages`. */
async function readCalls(description: string) {
  const { paths } = JSON.parse(await readFile(description, 'utf8')) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, methods]) => {
    const literals = path.split(/\{\w+\}/).map((literal) => RegExp.escape(literal));
    const pattern = new RegExp(`^${literals.join('[^/]+')}$`);
    return Object.keys(methods).map((name) => {
      const method = name.toUpperCase();
      return { key: `${method} ${path}`, method, pattern };
    });
  });
}

async function startOracle(script: string): Promise<StartOracle> {
  await ensureOracle();
  // It resolves its packages from its working directory.
  const copy = join(ORACLE_CACHE, 'oracle.mjs');
  await copyFile(script, copy);
  const { oracle } = (await import(copy)) as { oracle: StartOracle };
  return oracle;
}
