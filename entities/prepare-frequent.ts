/**
 * Prepares frequent statements of the embedded database: the engine then parses and plans them once, not each time. PGlite parses
 * every statement under no name, so the messages from it to its engine are changed on their way
 * (docs/decisions/0140-prepare-frequent-statements-of-the-embedded-database.md). preparing-client.ts does the same on a server.
 */
import type { PGlite } from '@electric-sql/pglite';

/** Uses of a statement before it is prepared: a statement that runs once at startup is not worth it. */
export const PREPARE_AFTER = 5;

/** Most prepared statements of a connection, so that endlessly varying texts cannot fill the memory of the database. */
export const PREPARED_MAX = 200;

/** Statements that have a plan. The columns of others, such as `FETCH`, depend on more than their text. */
const PLANNED = /^\s*(?:select|insert|update|delete|with)\b/i;

/** Most texts whose uses are counted. */
const COUNTED_MAX = 1_000;

/** Kinds of messages, and what `Describe` and `Close` can be about (PostgreSQL's documentation, "Message Formats"). */
const PARSE = 0x50;
const BIND = 0x42;
const DESCRIBE = 0x44;
const CLOSE = 0x43;
const SYNC = 0x53;
const STATEMENT = 0x53;

/** Bytes of the kind and of the length, with which each message begins. */
const HEADER = 5;

/** A `Close` message with an empty name. */
const CLOSE_UNNAMED = new Uint8Array([CLOSE, 0, 0, 0, 6, STATEMENT, 0]);

/** SQLSTATE of a statement whose results have other columns since it was prepared, and of one that is not prepared. */
const OUTDATED: readonly unknown[] = ['0A000', '26000'];

const decoder = new TextDecoder();
const encoder = new TextEncoder();

type Send = PGlite['execProtocolStream'];
type Answers = Awaited<ReturnType<Send>>;

interface Prepared {
  readonly text: string;
  readonly name: string;
  /** What the engine says about the statement, and about its results; null before it was asked. */
  statement: Answers | null;
  results: Answers | null;
}

/** From then on `lite` prepares the statements that it runs often. It sends the messages of one statement at a time. */
export function prepareFrequent(lite: PGlite): void {
  const uses = new Map<string, number>();
  /** The least recently used first, which makes room for others. */
  const prepared = new Map<string, Prepared>();
  const toClose: string[] = [];
  /** The statement whose messages are being sent, if it is prepared. */
  let current: Prepared | null = null;
  let made = 0;
  const send: Send = lite.execProtocolStream.bind(lite);

  const forget = ({ text, name }: Prepared) => {
    prepared.delete(text);
    toClose.push(name);
  };

  const countUse = (text: string) => {
    const count = (uses.get(text) ?? 0) + 1;
    if (uses.size >= COUNTED_MAX) uses.clear();
    uses.set(text, count);
    return count;
  };

  const parse: Send = async (message, options) => {
    current = null;
    const text = textToPrepare(message);
    if (text === null) return send(message, options);
    const known = prepared.get(text);
    if (known !== undefined) {
      prepared.delete(text);
      prepared.set(text, known);
      current = known;
      return [];
    }
    if (countUse(text) < PREPARE_AFTER) return send(message, options);
    uses.delete(text);
    const [oldest] = prepared.values();
    if (prepared.size >= PREPARED_MAX && oldest !== undefined) forget(oldest);
    for (const name of toClose.splice(0)) await send(insert(CLOSE_UNNAMED, HEADER + 1, name), options);
    made += 1;
    const name = `frequent_${made}`;
    const answers = await send(insert(message, HEADER, name), options);
    current = { text, name, statement: null, results: null };
    prepared.set(text, current);
    return answers;
  };

  // What is returned is changed by those who asked.
  const describe = async (one: Prepared, ...[message, options]: Parameters<Send>): Promise<Answers> => {
    if (message[HEADER] !== STATEMENT) return [...(one.results ??= await send(message, options))];
    return [...(one.statement ??= await send(insert(message, HEADER + 1, one.name), options))];
  };

  lite.execProtocolStream = async (message, options) => {
    const [kind] = message;
    if (kind === PARSE) return parse(message, options);
    const one = current;
    if (kind === SYNC) current = null;
    if (one === null || kind === SYNC) return send(message, options);
    try {
      if (kind === DESCRIBE) return await describe(one, message, options);
      // The portal, whose name is before that of the statement, has none.
      return await send(kind === BIND ? insert(message, HEADER + 1, one.name) : message, options);
    } catch (error) {
      if (error instanceof Error && 'code' in error && OUTDATED.includes(error.code)) forget(one);
      throw error;
    }
  };
}

/**
 * The text of a `Parse` message, which follows its empty name; null when it is not to be prepared. Types that the message names would
 * belong to the statement too.
 */
function textToPrepare(message: Uint8Array): string | null {
  const start = HEADER + 1;
  const end = message.indexOf(0, start);
  const types = new DataView(message.buffer, message.byteOffset).getInt16(end + 1);
  const text = types === 0 ? decoder.decode(message.subarray(start, end)) : '';
  return PLANNED.test(text) ? text : null;
}

/** The message with a name at the place of an empty one. */
function insert(message: Uint8Array, at: number, name: string): Uint8Array {
  const bytes = encoder.encode(name);
  const changed = new Uint8Array(message.length + bytes.length);
  changed.set(message.subarray(0, at));
  changed.set(bytes, at);
  changed.set(message.subarray(at), at + bytes.length);
  new DataView(changed.buffer).setInt32(1, changed.length - 1);
  return changed;
}
