/**
 * A database client that prepares frequent statements: PostgreSQL then parses and plans them once per connection, not
 * each time. Only on direct connections: a pooler such as PgBouncer gives each transaction another connection, on which
 * the statements are not prepared. It also tells when its statements may have made work due.
 */
import { createHash } from 'node:crypto';
import type { Client, QueryResult } from 'pg';
import { HostClient, type HostClientConfig } from './host-client.ts';
import { PREPARE_AFTER, PREPARED_MAX } from './prepare-frequent.ts';
import { commits, mayChangeDueTimes } from './row-changes.ts';

/** Use count of each text; a name once it is prepared. */
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

/** The caller receives the error. */
const ignore = () => undefined;

export interface PreparingClientConfig extends HostClientConfig {
  /** Called after a statement that may have changed when work is due, and after the commit of its transaction. */
  onDueChange?(): void;
}

/** Passed to a pool as its `Client`. Only statements with parameters are prepared. */
export class PreparingClient extends HostClient {
  readonly #onDueChange: (() => void) | undefined;
  /** Whether the transaction in progress may have changed when work is due. */
  #hasChanged = false;

  constructor({ onDueChange, ...config }: PreparingClientConfig) {
    super(config);
    this.#onDueChange = onDueChange;
  }

  // The driver's signature has a dozen overloads; calls without a text and values are passed on unchanged.
  override query(...given: unknown[]): never {
    const [text, values, ...rest] = given;
    const hasValues = typeof text === 'string' && Array.isArray(values) && values.length > 0;
    const name = this.isDirect && hasValues ? nameOf(text) : undefined;
    const passed = name === undefined ? given : [{ name, text, values }, ...rest];
    const answer: unknown = super.query(...(passed as Parameters<Client['query']>));
    if (this.#onDueChange !== undefined && typeof text === 'string' && answer instanceof Promise) {
      if (mayChangeDueTimes(text)) void answer.then((result: QueryResult) => this.#changed(result), ignore);
      else if (this.#hasChanged && commits(text)) void answer.then(() => this.#committed(), ignore);
    }
    return answer as never;
  }

  #changed({ rowCount }: QueryResult): void {
    if (rowCount === 0) return;
    this.#hasChanged = true;
    this.#onDueChange?.();
  }

  #committed(): void {
    this.#hasChanged = false;
    this.#onDueChange?.();
  }
}
