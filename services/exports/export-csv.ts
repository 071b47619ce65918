/** Writes rows as CSV (RFC 4180), so that no spreadsheet runs a cell as a formula. Pure. */

/**
 * How spreadsheets recognize a formula. A leading apostrophe makes it text; imports remove it again. A text that has
 * apostrophes there itself gets one more, so that an import gives it back as it was.
 */
export const FORMULA = /^'*[=+\-@\t\r\n]/;

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** A line with its end. Lists and objects are JSON, null is empty. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
