/** Reads and writes the mark of the database, from which processes see that it is a restored backup. */
import { column, columns } from '../../entities/column-lists.ts';
import { HOME, RESTORED_HOME } from '../../entities/database-mark.ts';
import { type RowOf, statement } from '../../entities/statement.ts';

const MARK = columns('database_marks', ['beat', 'held_until', 'is_settling'], 'd');

export const insertMark = statement('insert the mark of the database', {
  sql: () => `insert into database_marks (id, home) values (1, ${HOME}) on conflict (id) do nothing`,
});

export const readMark = statement('read the mark of the database', {
  result: { ...MARK.types, is_home: 'boolean' },
  sql: () => `select ${MARK.sql}, coalesce(d.home = ${HOME}, true) as is_home from database_marks d`,
});

export type MarkRow = RowOf<typeof readMark>;

/** Changes nothing in a database that was restored since this process read it. */
export const advanceBeat = statement('advance the beat of the database', {
  parameters: { known: 'int' },
  result: { beat: column('database_marks', 'beat') },
  sql: ({ known }) => `
    update database_marks d set beat = d.beat + 1, home = ${HOME}
    where d.beat >= ${known} and coalesce(d.home = ${HOME}, true) returning d.beat`,
});

export const holdUntil = statement('hold the posts that are due', {
  parameters: { now: 'timestamptz', known: 'int' },
  result: MARK.types,
  sql: ({ now, known }) => `
    update database_marks d set home = ${HOME}, beat = greatest(d.beat, ${known}) + 1,
      held_until = greatest(d.held_until, ${now}), is_settling = false
    returning ${MARK.sql}`,
});

/** Makes the next process that reads the mark hold the posts that are due. */
export const markRestored = statement('mark the database as a restored backup', {
  sql: () => `
    insert into database_marks (id, home) values (1, '${RESTORED_HOME}')
    on conflict (id) do update set home = excluded.home`,
});
