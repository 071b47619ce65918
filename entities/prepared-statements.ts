/**
 * Prepares frequent statements of the embedded database: the engine then parses and plans them once, not each time. PGlite parses
 * every statement under no name, so the messages between it and its engine are changed on their way. preparing-client.ts does the
 * same on a server.
 */
import type { PGlite } from '@electric-sql/pglite';

/** Uses of a statement before it is prepared: a statement that runs once at startup is not worth it. */
const PREPARE_AFTER = 5;

/** Most prepared statements, so that endlessly varying texts cannot fill the memory of the engine. */
const PREPARED_MAX = 200;

/** Most texts whose uses are counted. */
const COUNTED_MAX = 1_000;

/** The kinds of messages (PostgreSQL's documentation, "Message Formats"). */
const [PARSE, BIND, DESCRIBE, SYNC] = ['P', 'B', 'D', 'S'].map((kind) => kind.charCodeAt(0));

/** What a `Describe` message asks about. */
const STATEMENT = 'S'.charCodeAt(0);

/** Length of the kind and the length of a message. */
const HEADER = 5;

type Send = PGlite['execProtocolStream'];
type Answers = Awaited<ReturnType<Send>>;

interface Prepared {
  readonly text: string;
  readonly name: string;
  /** What the engine says about the statement, and about its results; null before it was asked. */
  statement: Answers | null;
  results: Answers | null;
}

/** From then on, `lite` prepares statements that are used often. It sends one at a time. */
export function prepareFrequent(lite: PGlite): void {
  const uses = new Map<string, number>();
  const prepared = new Map<string, Prepared>();
  /** The one whose messages are being sent. */
  let current: Prepared | null = null;
  let made = 0;
  const send: Send = lite.execProtocolStream.bind(lite);

  const parse: Send = async (message, options) => {
    const text = textOf(message);
    current = prepared.get(text) ?? null;
    if (current !== null) return [];
    const count = (uses.get(text) ?? 0) + 1;
    if (uses.size >= COUNTED_MAX) uses.clear();
    uses.set(text, count);
    if (count < PREPARE_AFTER || prepared.size >= PREPARED_MAX) return send(message, options);
    uses.delete(text);
    made += 1;
    const name = `frequent_${made}`;
    const answers = await send(insert(message, HEADER, name), options);
    current = { text, name, statement: null, results: null };
    return answers;
  };

  const describe = async (one: Prepared, ...[message, options]: Parameters<Send>): Promise<Answers> => {
    if (message[HEADER] !== STATEMENT) return (one.results ??= await send(message, options));
    one.statement ??= await send(insert(message, HEADER + 1, one.name), options);
    prepared.set(one.text, one);
    return one.statement;
  };

  lite.execProtocolStream = async (message, options) => {
    const [kind] = message;
    if (kind === PARSE) return parse(message, options);
    const one = current;
    if (kind === SYNC) current = null;
    if (one === null || kind === SYNC) return send(message, options);
    if (kind === DESCRIBE) return describe(one, message, options);
    try {
      // The portal has no name either.
      return await send(kind === BIND ? insert(message, HEADER + 1, one.name) : message, options);
    } catch (error) {
      // A table may have other columns since.
      prepared.delete(one.text);
      uses.delete(one.text);
      throw error;
    }
  };
}

/** The text of a `Parse` message, which follows its name; it has none. */
function textOf(message: Uint8Array): string {
  return new TextDecoder().decode(message.subarray(HEADER + 1, message.indexOf(0, HEADER + 1)));
}

/** The message with a name at a place where it has an empty one. */
function insert(message: Uint8Array, at: number, name: string): Uint8Array {
  const bytes = new TextEncoder().encode(name);
  const changed = new Uint8Array(message.length + bytes.length);
  changed.set(message.subarray(0, at));
  changed.set(bytes, at);
  changed.set(message.subarray(at), at + bytes.length);
  new DataView(changed.buffer).setInt32(1, changed.length - 1);
  return changed;
}
