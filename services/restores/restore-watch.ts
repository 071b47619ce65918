/**
 * Notices that the database is a restored backup, and then holds every post that was due: it may have gone out after
 * the backup was made (docs/decisions/0086-hold-due-posts-after-a-restore.md).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Queries } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { dateOrNull } from '../timestamp.ts';
import { advanceBeat, holdUntil, insertMark, type MarkRow, readMark } from './database-mark.ts';

/** The posts that are held. */
export interface Hold {
  /** Those that were due by this instant; long ago when no post is held. */
  readonly heldUntil: Date;
  /** Whether workers look them up and settle them. */
  readonly isSettling: boolean;
}

/** Whether posts are held, so that feeds and imports wait too. */
export function isHeld(heldUntil: Date): boolean {
  return heldUntil.getTime() > 0;
}

/** The database is a restored backup: what this transaction is about may have gone out after the backup was made. */
export class DatabaseRestored extends Error {
  override name = 'DatabaseRestored';
}

export interface RestoreWatch {
  /** The hold as this process last read it. */
  readonly hold: Hold;
  /** Reads the mark of the database, and holds the posts that are due if it is a restored backup. */
  check(): Promise<Hold>;
  /**
   * Reads the mark in a transaction that claims posts: a restore that is made meanwhile waits for its end.
   *
   * @returns until when posts are held
   * @throws DatabaseRestored when it was restored since the last check
   */
  confirm(em: SqlEntityManager): Promise<Date>;
  /** Checks, and advances the beat, so that a later restore shows. */
  beat(): Promise<void>;
}

export interface WithRestoreWatch {
  readonly restores: RestoreWatch;
}

/** Before every post. */
const NONE: Hold = { heldUntil: new Date(0), isSettling: false };

export function createRestoreWatch({ db, clock, log }: Pick<Context, 'db' | 'clock' | 'log'>): RestoreWatch {
  /** The highest beat that this process has read; null before the first. */
  let known: number | null = null;
  let hold = NONE;

  const learn = (row: Pick<MarkRow, 'beat' | 'held_until' | 'is_settling'>): Hold => {
    known = Math.max(known ?? 0, row.beat);
    hold = { heldUntil: dateOrNull(row.held_until) ?? NONE.heldUntil, isSettling: row.is_settling };
    return hold;
  };

  const read = async (queries: Queries): Promise<MarkRow & { readonly isRestored: boolean }> => {
    // Another call may insert the row, or learn a higher beat, before this one is answered.
    const knownBefore = known;
    const [row] = await readMark(queries);
    if (row !== undefined) return { ...row, isRestored: !row.is_home || row.beat < (knownBefore ?? 0) };
    // Only a process that starts inserts the row: the rows of a backup that is being restored arrive one by one.
    if (knownBefore !== null)
      throw new DatabaseRestored('the database has no mark: a backup is being restored, or rows were removed');
    await insertMark(queries);
    return read(queries);
  };

  const check = async () => {
    const row = await read(db.queries);
    if (!row.isRestored) return learn(row);
    const [held] = await holdUntil(db.queries, { now: clock.now(), known: known ?? 0 });
    if (held === undefined) throw new Error('the database has no mark');
    const learned = learn(held);
    log.error({ heldUntil: learned.heldUntil }, 'the database is a restored backup; posts that were due are held');
    return learned;
  };

  return {
    get hold() {
      return hold;
    },
    check,
    confirm: async (em) => {
      const row = await read(em);
      if (row.isRestored) throw new DatabaseRestored('the database was restored a moment ago');
      return learn(row).heldUntil;
    },
    beat: async () => {
      await check();
      const [row] = await advanceBeat(db.queries, { known: known ?? 0 });
      if (row !== undefined) known = Math.max(known ?? 0, row.beat);
    },
  };
}
