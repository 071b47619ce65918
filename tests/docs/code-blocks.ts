/** The code blocks of a page, and the requests that their commands would make. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Block {
  /** `docs/guide/scheduling.md:12`. */
  readonly place: string;
  readonly language: string;
  readonly code: string;
}

/** What a command of curl would send. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined without one, and when it is a file. */
  readonly body?: string;
}

const FENCE = /^( *)```(\w*)\n([^]*?)^\1```$/gm;

/** The blocks of a page, in their order. */
export function blocksOf(file: string): Block[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(FENCE)].map(({ index, 1: indent = '', 2: language = '', 3: code = '' }) => ({
    place: `${file}:${text.slice(0, index).split('\n').length}`,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** What a reader fills in for `<post id>`, `"…"` and a variable of the shell. */
const ID = '01932b6a-0000-7000-8000-000000000000';

/** A shell would take `<post id>` for redirections. */
export function filledIn(code: string): string {
  return code.replaceAll(/<[\w ]+>|(?<=")…(?=")/g, ID);
}

/** Runs a block with nothing but builtins: each command that it would start is written down instead. */
const NOTE_COMMANDS = `
PATH=/nonexistent
command_not_found_handle() { printf '%s\\037' "$@" >&3; printf '\\036' >&3; }
`;

/** The commands of a shell block, each as its words. */
export function commandsOf(code: string): string[][] {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-blocks-'));
  const notes = join(folder, 'notes');
  try {
    execFileSync('/bin/bash', ['-c', `exec 3>'${notes}'\n${NOTE_COMMANDS}${filledIn(code)}\nexit 0`], {
      cwd: folder,
      timeout: 60_000,
      env: Object.fromEntries([...code.matchAll(/\$\{?([A-Z_]+)/g)].map(([, name]) => [name, ID])),
      stdio: 'ignore',
    });
    const commands = readFileSync(notes, 'utf8').split('\u001e').slice(0, -1);
    return commands.map((command) => command.split('\u001f').slice(0, -1));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The options of curl that the pages use and that take a value. */
const WITH_VALUE = new Set(['-X', '--request', '-d', '--data', '--data-binary', '-H', '--header', '-o', '--output']);
const DATA = new Set(['-d', '--data', '--data-binary']);

/** @returns null for another command, and for curl without a URL */
export function curlRequest([command, ...words]: readonly string[]): CurlRequest | null {
  if (command !== 'curl') return null;
  const headers: Record<string, string> = {};
  let url: string | undefined;
  let method: string | undefined;
  let data: string | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!WITH_VALUE.has(word)) {
      if (/^https?:/.test(word)) url = word;
      continue;
    }
    at += 1;
    const value = words[at] ?? '';
    if (word === '-X' || word === '--request') method = value;
    else if (DATA.has(word)) data = value;
    else if (word === '-H' || word === '--header') {
      const [name = ''] = value.split(':', 1);
      headers[name.toLowerCase()] = value.slice(name.length + 1).trim();
    }
  }
  if (url === undefined) return null;
  const body = data?.startsWith('@') === true ? undefined : data;
  return { method: method ?? (data === undefined ? 'GET' : 'POST'), url, headers, ...(body !== undefined && { body }) };
}

/** A request of a page, and the answer that the page shows for it. */
export interface ShownAnswer {
  readonly place: string;
  /** Of curl. */
  readonly command: string;
  /** JSON with `…` in place of what the page leaves out. */
  readonly answer: string;
}

/** A command up to its last line. */
const CURL = /^ *curl (?:.*\\\n)*.*$/gm;

/** A comment that begins with JSON, and the lines that continue it. */
const COMMENT = /^# [{[].*(?:\n#   .*)*/m;

/** The answers of a page: in a comment after the command, or for the last command of a block in a block of JSON after it. */
export function shownAnswers(blocks: readonly Block[]): ShownAnswer[] {
  return blocks.flatMap(({ place, code }, index) => {
    const commands = [...code.matchAll(CURL)];
    const last = commands.at(-1)?.[0];
    const commented = commands.flatMap(({ 0: command, index: at }, number) => {
      const [comment] = COMMENT.exec(code.slice(at, commands[number + 1]?.index)) ?? [];
      return comment === undefined ? [] : [{ place, command, answer: comment.replaceAll(/\n?^# */gm, '') }];
    });
    const next = blocks[index + 1];
    if (commented.length > 0 || last === undefined || next?.language !== 'json') return commented;
    return [{ place, command: last, answer: next.code }];
  });
}

/** Asks a server for what a command of curl asks `origin` for. @param file what the body is when the command reads a file */
export async function askAs(command: string, origin: string, url: string, file?: Uint8Array): Promise<Response> {
  const [words = []] = commandsOf(command);
  const request = curlRequest(words);
  if (request === null) throw new Error(`no request: ${command}`);
  const { headers, body } = request;
  const method = file === undefined ? request.method : 'POST';
  const sent = body ?? (file as Uint8Array<ArrayBuffer> | undefined) ?? null;
  return fetch(request.url.replace(origin, url), { method, headers, body: sent });
}
