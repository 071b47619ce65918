/**
 * Migrations only expand the schema: the version before runs on it, and so does a version that was rolled back
 * (docs/decisions/0087-run-two-versions-on-one-schema.md).
 */
import { describe, expect, it } from 'vitest';
import { migrations } from '../../entities/migrations/index.ts';
import packageJson from '../../package.json' with { type: 'json' };

/** Every version that runs beside another has these. */
const BEFORE_THE_RULE = [
  '20261122-initial',
  '20261122-account-connect-sessions',
  '20261122-delivery-attempts',
  '20261122-roles-of-people',
  '20261122-key-expiry',
  '20261122-retention',
  '20261122-delivery-subjects',
  '20261122-calendar-indexes',
];

interface Queries {
  isTransactional(): boolean;
  up(): Promise<void> | void;
  getQueries(): unknown[];
}

function opened(migration: (typeof migrations)[number]): Queries {
  return new (migration.class as unknown as new () => Queries)();
}

/** A statement within the one that limits how long it waits for its lock. */
const STEP = /\$step\$([^]*)\$step\$/;

function statementsOf(migration: (typeof migrations)[number]): string[] {
  const made = opened(migration);
  void made.up();
  return made.getQueries().map((query) => {
    const sql = String(query);
    return (STEP.exec(sql)?.[1] ?? sql).replaceAll(/\s+/g, ' ').trim();
  });
}

/** What an older version does not notice. */
const EXPANDS: readonly RegExp[] = [
  /^create table if not exists /i,
  /^create (?:unique )?index if not exists .* on "(\w+)"/i,
  /^alter table "\w+" add column if not exists "\w+" [\w()]+(?: null)?$/i,
  /^alter table "\w+" add column if not exists "\w+" [\w()]+ not null default [^,;]+$/i,
  /^alter table "\w+" alter column "\w+" drop not null$/i,
  // How rows are stored and vacuumed is no part of the schema.
  /^alter table "\w+" set \((?: ?\w+ = [\d.]+,?)+ ?\)$/i,
  // How a function is planned changes its speed and not its answer.
  /^alter function \w+\([\w, ]*\) set enable_\w+ = \w+$/i,
  // Where rows are placed, and when they are vacuumed.
  /^alter table "\w+" set \([\w =.,]+\)$/i,
  // Names of zones become others that the version before knows too.
  /^update "\w+" set "(?:timezone|digest_zone|rules)" = .* is not null$/i,
  // A new column is filled, which the version before does not know.
  /^update "\w+" s set "(client_id)" = .* and s\."\1" is null$/i,
  // An invalid index answers no query. It is created again by the next statement.
  /^do \$migration\$ begin perform set_config\('lock_timeout', '2s', true\); if exists \(select from pg_index where indexrelid = to_regclass\('"(\w+)"'\) and not indisvalid\) then drop index "\1"; end if; end \$migration\$$/,
  // A query without its index is slower and has the same answer.
  /^drop index if exists "\w+_index"$/i,
];

/** A check that lists the values of a column, as migrations write it. */
const LISTED = /^alter table "\w+" add constraint "(\w+_check)" check \("\w+" in \(([^)]+)\)\)(?: not valid)?$/i;

/** The values that each check allows after some statements. */
function listedValues(statements: readonly string[]): Map<string, ReadonlySet<string>> {
  const lists = statements.flatMap((sql) => {
    const [, name, values] = LISTED.exec(sql) ?? [];
    return name === undefined || values === undefined ? [] : [[name, new Set(values.split(', '))] as const];
  });
  return new Map(lists);
}

/** Leaves out each pair that replaces a check by one that allows the same values and more. */
function withoutWidened(statements: readonly string[], before: Map<string, ReadonlySet<string>>): string[] {
  const widened = [...listedValues(statements)].flatMap(([name, values]) => {
    const earlier = before.get(name);
    return earlier !== undefined && values.isSupersetOf(earlier) ? [name] : [];
  });
  const isWidening = (sql: string) =>
    widened.some((name) => LISTED.exec(sql)?.[1] === name || sql.endsWith(`drop constraint if exists "${name}"`));
  return statements.filter((sql) => !isWidening(sql));
}

/** What would break the version before, by reason; a statement that neither list knows is refused too. */
function refusal(
  statement: string,
  isNewTable: (table: string) => boolean,
  newChecks: ReadonlySet<string>,
): string | null {
  const check = /^alter table "\w+" (?:add constraint|drop constraint if exists) "(\w+_check)"/i.exec(statement)?.[1];
  if (check !== undefined && newChecks.has(check)) return null;
  const unique = /^create unique index .* on "(\w+)"/i.exec(statement)?.[1];
  if (unique !== undefined && !isNewTable(unique)) return 'a unique index refuses rows that the version before writes';
  const widened = /^alter table "(\w+)" (?:add|drop) constraint/i.exec(statement)?.[1];
  if (widened !== undefined && isNewTable(widened)) return null;
  if (EXPANDS.some((form) => form.test(statement))) return null;
  return 'it may break the version before, which runs meanwhile and after a rollback';
}

/** The statements of a migration that an older version would notice. */
function contractions(statements: readonly string[]): string[] {
  const created = new Set(statements.flatMap((sql) => /^create table if not exists "(\w+)"/i.exec(sql)?.[1] ?? []));
  // The version before does not write a column that it does not know, so its values may be checked.
  const newChecks = new Set(
    statements.flatMap((sql) => {
      const [, table, column] = /^alter table "(\w+)" add column if not exists "(\w+)"/i.exec(sql) ?? [];
      return table === undefined ? [] : [`${table}_${column}_check`];
    }),
  );
  return statements.flatMap((sql) => {
    const why = refusal(sql, (table) => created.has(table), newChecks);
    return why === null ? [] : [`${sql}: ${why}`];
  });
}

function versionNumber(version: string): number {
  return version.split('.').reduce((sum, part) => sum * 10_000 + Number(part), 0);
}

const checked = migrations.filter(({ name }) => !BEFORE_THE_RULE.includes(name));

it('the migrations before the rule are the first ones', () => {
  expect(migrations.slice(0, BEFORE_THE_RULE.length).map(({ name }) => name)).toEqual(BEFORE_THE_RULE);
});

it.each(checked)('$name only expands the schema, or contracts it a version later', (migration) => {
  const earlier = migrations.slice(0, migrations.indexOf(migration)).flatMap(statementsOf);
  const found = contractions(withoutWidened(statementsOf(migration), listedValues(earlier)));

  if (migration.contracts === undefined) return expect(found).toEqual([]);
  expect(found).not.toEqual([]);
  expect(versionNumber(packageJson.version)).toBeGreaterThan(versionNumber(migration.contracts.after));
});

it.each(migrations.slice(1))(
  '$name holds the lock of one table at a time, and waits for none of them for long',
  (migration) => {
    const made = opened(migration);
    void made.up();

    expect(made.isTransactional()).toBe(false);
    expect(made.getQueries().filter((sql) => !String(sql).includes(`set_config('lock_timeout', '2s', true)`))).toEqual(
      [],
    );
  },
);

describe('a step that the version before does not survive', () => {
  it.each([
    'drop table "posts"',
    'alter table "posts" drop column "text"',
    'alter table "posts" rename column "text" to "words"',
    'alter table "posts" rename to "messages"',
    'alter table "posts" alter column "text" type varchar(10)',
    'alter table "posts" alter column "url" set not null',
    'alter table "posts" add column if not exists "words" text not null',
    'alter table "posts" add constraint "posts_text_check" check ("text" <> \'\')',
    'alter table "posts" add column if not exists "a" text null, drop column "text"',
    'create unique index if not exists "posts_text_unique" on "posts" ("text")',
    'drop index if exists "posts_slot_unique"',
    'update "posts" set "text" = \'\'',
  ])('%s', (statement) => {
    expect(contractions([statement])).toHaveLength(1);
  });
});

describe('a check that is replaced', () => {
  const drop = 'alter table "posts" drop constraint if exists "posts_mode_check"';
  const add = (values: string) => `alter table "posts" add constraint "posts_mode_check" check ("mode" in (${values}))`;
  const before = listedValues([add("'live', 'test'")]);

  it('may allow more values', () => {
    expect(withoutWidened([drop, add("'live', 'test', 'dry'")], before)).toEqual([]);
  });

  it('may not allow fewer, or be a new one', () => {
    const narrower = [drop, add("'live', 'dry'")];

    expect(contractions(withoutWidened(narrower, before))).toHaveLength(2);
    expect(contractions(withoutWidened([drop, add("'live'")], new Map()))).toHaveLength(2);
  });
});

describe('a step that it survives', () => {
  it.each([
    ['alter table "posts" add column if not exists "words" text null'],
    ['alter table "posts" add column if not exists "count" int not null default 0'],
    ['create index if not exists "posts_words_index" on "posts" ("words")'],
    [
      'create table if not exists "words" ("id" int)',
      'create unique index if not exists "words_unique" on "words" ("id")',
    ],
  ])('%s', (...statements) => {
    expect(contractions(statements.filter((statement) => typeof statement === 'string'))).toEqual([]);
  });
});
