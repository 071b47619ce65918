/**
 * Copies a whole database into an empty one, from either engine to the other, in one transaction on each side
 * (docs/decisions/0101-back-the-embedded-database-up-online.md).
 */
import { HOME, RESTORED_HOME } from './database-mark.ts';
import { migrations } from './migrations/index.ts';
import type { Database } from './orm.ts';
import {
  copyTable,
  countOtherSessions,
  hasRows,
  inOneTransaction,
  readShapes,
  type RunSql,
  setSequences,
  sumTable,
  type TableShape,
  withoutForeignKeys,
} from './table-transfer.ts';

/** What prevents a copy, in a sentence for the operator. Nothing was copied then. */
export class CopyError extends Error {
  override name = 'CopyError';
}

export interface CopiedTable {
  readonly name: string;
  readonly rows: number;
}

export interface CopiedDatabase {
  /** The tables with the rows that both databases have. */
  readonly tables: readonly CopiedTable[];
  /** Whether the source is a restored backup, or was copied before. The first start of the copy then holds what is due. */
  readonly isRestored: boolean;
}

/**
 * @param prepare creates the tables of libraries in the target that migrations do not
 * @throws CopyError
 */
export async function copyDatabase(
  source: Database,
  target: Database,
  prepare: () => Promise<void>,
): Promise<CopiedDatabase> {
  // First: reading migrations opens another connection of this process.
  await inOneTransaction(source, (run) => refuseOthers(run, 'source'));
  await inOneTransaction(target, (run) => refuseOthers(run, 'target'));
  await refuseOldSource(source);
  await createSchema(target);
  await prepare();
  return inOneTransaction(source, (from) => inOneTransaction(target, (to) => copyAll(from, to)));
}

/** Both schemas are then at the version of this program. */
async function refuseOldSource(source: Database): Promise<void> {
  const applied = await source.appliedMigrations();
  const missing = migrations.filter(({ name }) => !applied.includes(name));
  if (missing.length === 0 && applied.length === migrations.length) return;
  throw new CopyError(
    applied.length > migrations.length
      ? 'The source was migrated by a newer version. Copy it with that version.'
      : `The source lacks ${missing.length} migrations of this version. Start this version on it once, and stop it.`,
  );
}

async function refuseOthers(run: RunSql, end: 'source' | 'target'): Promise<void> {
  const others = await countOtherSessions(run);
  if (others === 0) return;
  throw new CopyError(
    `The ${end} has ${others} other connections. Stop every process of Carillon first, and name the database directly, without PgBouncer.`,
  );
}

async function createSchema(target: Database): Promise<void> {
  const applied = await target.appliedMigrations();
  const shapes = await inOneTransaction(target, readShapes);
  const isNew = applied.length === 0;
  if (isNew && shapes.length > 0) throw new CopyError(`The target has other tables, such as ${shapes[0]?.name}.`);
  const unknown = applied.find((name) => !migrations.some((migration) => migration.name === name));
  if (unknown !== undefined) throw new CopyError(`The target was migrated by a newer version: ${unknown}.`);
  const used = await inOneTransaction(target, (run) => firstWithRows(run, shapes));
  if (used !== undefined) {
    throw new CopyError(
      `The target is not empty: ${used.name} has rows. Name a new database, and nothing is overwritten.`,
    );
  }
  await target.migrate();
}

async function firstWithRows(run: RunSql, shapes: readonly TableShape[]): Promise<TableShape | undefined> {
  for (const shape of shapes) if (await hasRows(run, shape)) return shape;
  return undefined;
}

async function copyAll(from: RunSql, to: RunSql): Promise<CopiedDatabase> {
  const [shapes, targets] = [await readShapes(from), await readShapes(to)];
  refuseOtherShapes(shapes, targets);
  const addForeignKeys = await withoutForeignKeys(to);
  for (const shape of shapes) {
    await copyTable(from, to, shape);
    await setSequences(to, shape);
  }
  await addForeignKeys();
  const tables: CopiedTable[] = [];
  for (const shape of shapes) {
    const [expected, found] = [await sumTable(from, shape), await sumTable(to, shape)];
    if (expected.rows !== found.rows || expected.sum !== found.sum) {
      throw new CopyError(
        `${shape.name} differs in the copy: ${found.rows} rows instead of ${expected.rows}, or other values.`,
      );
    }
    tables.push({ name: shape.name, rows: found.rows });
  }
  const isRestored = await isRestoredBackup(from);
  await to(`update database_marks set home = ${isRestored ? `'${RESTORED_HOME}'` : HOME}`);
  await to('analyze');
  return { tables, isRestored };
}

/** Of a backup that no process has noticed yet, only the mark tells that its posts may have gone out. */
async function isRestoredBackup(run: RunSql): Promise<boolean> {
  const [mark] = await run(`select (home <> ${HOME})::text as differs from database_marks`);
  return mark?.['differs'] === 'true';
}

/** A table that only the target has is empty. */
function refuseOtherShapes(shapes: readonly TableShape[], targets: readonly TableShape[]): void {
  const wrong = shapes.find((shape) => {
    const target = targets.find(({ name }) => name === shape.name);
    return JSON.stringify(target) !== JSON.stringify(shape);
  });
  if (wrong !== undefined) throw new CopyError(`The table ${wrong.name} has other columns in the target.`);
}
