/**
 * Sanitizes the name of a client for display. The client chooses the name, so this removes characters that change the
 * writing direction, are invisible, stack up or fill the page. Pages show verified data next to the name.
 */

/** Maximum number of characters, approximately as people count them. */
const MOST = 60;

/** @returns the sanitized name, or the sanitized id if nothing is left of the name */
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
