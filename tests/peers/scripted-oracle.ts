/**
 * Servers that check requests and answers against a platform's own description of its API, from the peers folder. Their
 * packages are installed into `.cache/peers/oracle` on first use.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureOracle, ORACLE_CACHE, peerScript } from './ensure-peers.ts';

/** What a server recorded: a request that matches the description, or the mismatch. */
export interface Seen {
  readonly k?: string;
  readonly body?: unknown;
  readonly bad?: 'request' | 'response';
  readonly errors?: unknown;
}

export interface Oracle {
  readonly url: string;
  readonly seen: readonly Seen[];
  close(): Promise<void>;
}

type Answers = Readonly<Record<string, (request: { readonly body: unknown }) => readonly [number, unknown]>>;
type Security = Readonly<Record<string, (request: { readonly headers: Record<string, string> }) => boolean>>;

/** Paths of the oracle and of a description; undefined, with the reason printed, if either is absent. */
export function oracleFor(description: string): { script: string; file: string } | undefined {
  const script = peerScript('oracle.mjs');
  const file = script === undefined ? undefined : peerScript(`descriptions/${description}`);
  return script === undefined || file === undefined ? undefined : { script, file };
}

/** Serves scripted answers to every request that matches the description. */
export async function startOracle(
  { script, file }: { readonly script: string; readonly file: string },
  answers: Answers,
  security: Security,
): Promise<Oracle> {
  await ensureOracle();
  const copy = join(ORACLE_CACHE, 'oracle.mjs');
  await copyFile(script, copy);
  const { oracle } = (await import(pathToFileURL(copy).href)) as {
    oracle(file: string, answers: Answers, options: { security: Security }): Promise<Oracle>;
  };
  return oracle(file, answers, { security });
}
