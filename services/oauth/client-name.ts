/**
 * The name of a client as people are shown it. It is the client's own word, so what turns the direction of writing, hides,
 * stacks up or fills the page is taken out: next to it stands what can be relied on.
 */

/** Characters as people count them, about. */
const MOST = 60;

/** @returns the first of the words that something is left of */
export function clientName(said: string | undefined, clientId: string): string {
  return plain(said ?? '') || plain(clientId);
}

function plain(text: string): string {
  const visible = text
    .normalize('NFC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .trim();
  const characters = [...visible];
  return characters.length > MOST ? `${characters.slice(0, MOST - 1).join('')}…` : visible;
}
