/** Turns the cells of a CSV row into the fields of a post (docs/contract/import-export.md#columns). Pure. */

/** Columns whose cells are taken as they are. */
const PLAIN = ['text', 'profileId', 'scheduledFor', 'timezone', 'firstComment'] as const;

/** Columns whose cells are lists of words. */
const LISTS = { connections: 'connectionSlugs', tags: 'tags' } as const;

const SWITCHES = { queue: 'queue', draft: 'isDraft', rewrite: 'rewrite' } as const;

/** Every column; and `text.{platformId}`. */
export const CSV_COLUMNS: readonly string[] = [
  ...PLAIN,
  ...Object.keys(LISTS),
  ...Object.keys(SWITCHES),
  'images',
  'altTexts',
  'thread',
];

const PLATFORM_TEXT = /^text\.([a-z]+)$/;

/** Words that spreadsheets write for a switch. */
const YES: ReadonlySet<string> = new Set(['true', 'yes', '1', 'x']);
const NO: ReadonlySet<string> = new Set(['false', 'no', '0']);

/** A line of three or more dashes separates the parts of a thread. */
const BETWEEN_PARTS = /\r?\n-{3,}[ \t]*\r?\n/;

/** Names that are no column; a misspelt `scheduledFor` must not be ignored. */
export function unknownColumns(names: readonly string[]): string[] {
  return names.filter((name) => !CSV_COLUMNS.includes(name) && !PLATFORM_TEXT.test(name));
}

/** The fields as a JSON file would have them. A cell that is neither yes nor no stays text, which the schema refuses. */
export function csvFields(cells: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const texts: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(cells)) {
    const cell = String(value);
    const platform = PLATFORM_TEXT.exec(name)?.[1];
    if (platform !== undefined) texts[platform] = cell;
    else if (name in LISTS) fields[LISTS[name as keyof typeof LISTS]] = words(cell);
    else if (name in SWITCHES) fields[SWITCHES[name as keyof typeof SWITCHES]] = readSwitch(cell);
    else if (name === 'thread') fields['thread'] = cell.split(BETWEEN_PARTS).map((part) => part.trim());
    else if (name === 'images') fields['images'] = imagesOf(cell, String(cells['altTexts'] ?? ''));
    else if (name !== 'altTexts') fields[name] = cell;
  }
  return Object.keys(texts).length === 0 ? fields : { ...fields, textByPlatform: texts };
}

function words(cell: string): string[] {
  return cell.split(/[\s,;|]+/).filter((word) => word !== '');
}

function readSwitch(cell: string): boolean | string {
  const word = cell.trim().toLowerCase();
  if (YES.has(word)) return true;
  return NO.has(word) ? false : cell;
}

/** Ids and addresses, each with the alt text at the same place. */
function imagesOf(cell: string, altTexts: string): Record<string, unknown>[] {
  const alts = altTexts === '' ? [] : altTexts.split('|').map((text) => text.trim());
  return cell
    .trim()
    .split(/\s+/)
    .map((image, index) => ({
      ...(/^https?:/i.test(image) ? { url: image } : { id: image }),
      ...(alts[index] !== undefined && alts[index] !== '' && { altText: alts[index] }),
    }));
}
