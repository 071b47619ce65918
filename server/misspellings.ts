/** Distinguishes a misspelt setting from a variable of another program (docs/contract/running.md#settings). */
import leven from 'leven';

/** The setting that the name probably means; undefined when it resembles none. */
export function settingMeant(name: string, known: readonly string[]): string | undefined {
  return known.find((setting) => isMisspelt(name, setting));
}

/** Short names (PORT, HOST, ROLE) resemble valid other names, so only swapped letters count for them. */
function isMisspelt(name: string, known: string): boolean {
  if (name.toUpperCase() === known) return true;
  // A short first word distinguishes the settings of two services: GH_CLIENT_ID is not X_CLIENT_ID.
  const [prefix = '', ...rest] = known.split('_');
  if (prefix.length <= 2 && rest.length > 0 && !name.startsWith(`${prefix}_`)) return false;
  const allowed = known.length <= 5 ? 0 : known.length <= 8 ? 1 : 2;
  if (Math.abs(name.length - known.length) > allowed) return false;
  return sameLetters(name, known) || leven(name, known) <= allowed;
}

function sameLetters(name: string, known: string): boolean {
  if (name[0] !== known[0]) return false;
  return [...name].toSorted().join('') === [...known].toSorted().join('');
}
