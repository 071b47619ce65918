/** Words for imports: their state, their counts, and which field of a row has a problem. */
import type { Outputs } from '../../data/trpc.ts';

export type Import = Outputs['imports']['list']['imports'][number];
export type ImportRow = Outputs['imports']['get']['rows'][number];

/** The rows of an import that can be shown alone, by their result. */
export const SHOWN_ROWS = ['failed', 'created', 'skipped', 'valid', 'pending'] as const satisfies ImportRow['status'][];

/** Each count of an import that says something about it. */
const COUNTS = {
  valid: 'without problems',
  created: 'imported',
  skipped: 'skipped, because another import has created them',
  failed: 'with a problem',
  pending: 'waiting',
} as const satisfies Readonly<Record<ImportRow['status'], string>>;

export function rowsInWords(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}

/** Such as "8 rows without problems". Counts of nothing are left out. */
export function countsInWords({ counts }: Pick<Import, 'counts'>): string[] {
  return Object.entries(COUNTS).flatMap(([status, words]) => {
    const count = counts[status as ImportRow['status']];
    return count === 0 ? [] : [`${rowsInWords(count)} ${words}`];
  });
}

export function titleOf({ name, dryRun }: Pick<Import, 'name' | 'dryRun'>): string {
  return `${dryRun ? 'Check' : 'Import'} of ${name ?? 'a file'}`;
}

export interface RowProblem {
  /** Connection that refuses; null for the whole row. */
  readonly slug: string | null;
  /** Field of the row; null when the problem concerns no single one. */
  readonly field: string | null;
  readonly message: string;
}

/** The service begins a message about one field with its name. */
const FIELD = /^([a-z]\w*(?:\.\w+)*): (.+)$/s;

/** The problems of a row: those of its connections, or else that of the row. */
export function problemsOf({ results, error }: Pick<ImportRow, 'results' | 'error'>): RowProblem[] {
  const refused = results.flatMap(({ connectionSlug: slug, error: one }) =>
    one === null ? [] : [{ slug, error: one }],
  );
  const all = refused.length > 0 || error === null ? refused : [{ slug: null, error }];
  return all.map(({ slug, error: { message } }) => {
    const [, field = null, rest = message] = FIELD.exec(message) ?? [];
    return { slug, field, message: rest };
  });
}
