/** A database connection that prepares what it runs often: PostgreSQL then parses and plans it once a connection, not each time. */
import { createHash } from 'node:crypto';
import { Client } from 'pg';

/** How often a statement is seen before it is prepared: what runs once at the start is not worth it. */
const PREPARE_AFTER = 5;

/** Most statements that are prepared, so that texts which vary without end cannot fill the server's memory. */
const PREPARED_MAX = 200;

/** How often each text was seen; a name once it is prepared. */
const seen = new Map<string, number | string>();

function nameOf(text: string): string | undefined {
  const known = seen.get(text) ?? 0;
  if (typeof known === 'string') return known;
  if (seen.size >= PREPARED_MAX && known === 0) return undefined;
  const name =
    known + 1 >= PREPARE_AFTER ? createHash('sha256').update(text).digest('base64url').slice(0, 20) : undefined;
  seen.set(text, name ?? known + 1);
  return name;
}

/** What a pool takes as its `Client`. Only statements with parameters are prepared. */
export class PreparingClient extends Client {
  // The driver's own signature is a dozen overloads; what is not text with values passes through untouched.
  override query(...given: unknown[]): never {
    const [text, values, ...rest] = given;
    const name = typeof text === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined;
    const passed = name === undefined ? given : [{ name, text, values }, ...rest];
    return super.query(...(passed as Parameters<Client['query']>)) as never;
  }
}
