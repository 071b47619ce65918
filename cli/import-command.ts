/** `import` and `imports`: posts from a file, with what happened to each row. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Answer, type Call, type CommandSpec, hasFlag, valueOf, valuesOf } from './command.ts';
import { decoded } from './decoded.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { CommandError } from './failure.ts';
import { UsageError } from './operator-client.ts';
import { moreText, PAGE_OPTIONS, pageOf } from './posts-commands.ts';
import { progressOf } from './progress.ts';
import { repeatCall } from './repeat-call.ts';
import { type Client, clientOf } from './signed-in.ts';
import { painter, table } from './terminal-text.ts';

/** Real milliseconds between two looks at an import: half of the requests that a key may make by default. */
const LOOK_AGAIN_MS = 2_000;

/** Most rows of a page. */
const PAGE = 100;

const FORMATS = { '.csv': 'csv', '.json': 'json', '.ndjson': 'json', '.jsonl': 'json' } as const;

export const IMPORT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'import',
    summary: 'Import posts from a CSV or JSON file. The same file continues an import that ended early.',
    operands: ['<file>'],
    options: [
      { flags: '--try', text: 'Create nothing, and say for each row what would happen.' },
      { flags: '--to <slug>', text: 'Connection for rows that name none.', isRepeated: true },
      { flags: '--profile <id>', text: 'Profile of the connections, for rows that name none.' },
      { flags: '--zone <zone>', text: 'IANA zone of times without an offset, for rows that name none.' },
      { flags: '--untimed <what>', text: 'What to do with rows without a time: draft (default), queue or now.' },
      { flags: '--name <name>', text: 'Label for people.' },
    ],
    run: importFile,
  },
  { name: 'imports', summary: 'List imports, newest first.', options: PAGE_OPTIONS, run: list },
];

type StartInput = Parameters<Client['imports']['start']['mutate']>[0];
type Import = Awaited<ReturnType<Client['imports']['get']['query']>>['import'];
type Row = Awaited<ReturnType<Client['imports']['get']['query']>>['rows'][number];

async function importFile(call: Call): Promise<Answer> {
  const input = await inputOf(call);
  const client = await clientOf(call.io);
  // The same file continues its import, so a repeat is safe.
  const { import: started } = await repeatCall(call, () => client.imports.start.mutate(input));
  const latest = await follow(call, client, started);
  const rows = await allRows(call, client, started.id);
  const failed = rows.flatMap(failedOf);
  const counts = Object.entries(latest.counts).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []));
  const text = `${tableOf(call, latest.dryRun ? rows : failed)}${latest.status}: ${counts.join(', ')}\n`;
  const isPartial = failed.length > 0 || latest.status !== 'done';
  return { body: { import: latest, rows }, text, exitCode: (isPartial ? EXIT_CODES.partial : EXIT_CODES.ok).code };
}

/** Waits until every row has a result. An end of the command does not end the import. */
async function follow(call: Call, client: Client, started: Import): Promise<Import> {
  const { io, report } = call;
  const progress = progressOf(call);
  let latest = started;
  try {
    while (latest.status === 'running') {
      progress.show(latest.rows - latest.counts.pending, latest.rows, 'rows');
      await io.clock.sleep(LOOK_AGAIN_MS, io.signal);
      const page = { importId: started.id, limit: 1 };
      ({ import: latest } = await repeatCall(call, () => client.imports.get.query(page)));
    }
    progress.end();
    return latest;
  } catch (error) {
    progress.end();
    report('The import goes on without this command. The same command follows it.');
    throw error;
  }
}

async function inputOf(call: Call): Promise<StartInput> {
  const file = call.operands[0] ?? '';
  const ending = path.extname(file).toLowerCase();
  if (!Object.hasOwn(FORMATS, ending)) throw new UsageError(`${file}: expected a .csv, .json, .ndjson or .jsonl file.`);
  const bytes = await readFile(file).catch((error: Error) => {
    throw new CommandError('failed', `${file} cannot be read (${error.message}).`);
  });
  const content = decoded(bytes, file, 'In a spreadsheet, save it as "CSV UTF-8".');
  const given = {
    connectionSlugs: valuesOf(call, 'to').length > 0 ? valuesOf(call, 'to') : undefined,
    profileId: valueOf(call, 'profile'),
    timezone: valueOf(call, 'zone'),
    // The server names the values that it accepts.
    untimed: valueOf(call, 'untimed') as StartInput['untimed'],
    name: valueOf(call, 'name') ?? path.basename(file),
  };
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { format: FORMATS[ending as keyof typeof FORMATS], content, dryRun: hasFlag(call, 'try'), ...fields };
}

async function allRows(call: Call, client: Client, importId: string): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const wanted = { importId, limit: PAGE, ...(cursor !== null && { cursor }) };
    const page: Awaited<ReturnType<Client['imports']['get']['query']>> = await repeatCall(call, () =>
      client.imports.get.query(wanted),
    );
    rows.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

/** A row that failed, or the connections that did: a row is created once one connection has a post. */
function failedOf(row: Row): Row[] {
  const results = row.results.filter(({ error }) => error !== null);
  const isFailed = row.status === 'failed' || (row.status === 'created' && results.length > 0);
  return isFailed ? [{ ...row, results }] : [];
}

function tableOf({ io }: Call, rows: readonly Row[]): string {
  const cells = rows.flatMap(({ row, status, results, error }) =>
    (results.length === 0 ? [null] : results).map((result) => [
      String(row),
      result?.status ?? status,
      result?.connectionSlug ?? '',
      result?.scheduledFor ?? '',
      result?.error?.message ?? error?.message ?? '',
    ]),
  );
  if (cells.length === 0) return '';
  return table(io.stdout, painter(io.stdout, io.env), ['ROW', 'RESULT', 'CONNECTION', 'TIME', 'PROBLEM'], cells);
}

async function list(call: Call): Promise<Answer> {
  const { io } = call;
  const body = await (await clientOf(io)).imports.list.query(pageOf(call));
  const cells = body.imports.map((one) => [
    one.id,
    one.status,
    `${one.counts.created} of ${one.rows}`,
    one.createdAt,
    one.name ?? '',
  ]);
  const text = table(io.stdout, painter(io.stdout, io.env), ['ID', 'STATE', 'CREATED', 'STARTED', 'NAME'], cells);
  return { body, text: text + moreText(body.nextCursor) };
}
