/** Reads the fields of a submitted form. */

/** Fields with a single value; repeated fields are ignored, because no form of ours has them. */
export function fieldsOf(body: unknown): Record<string, string> {
  const entries = Object.entries(typeof body === 'object' && body !== null ? body : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
