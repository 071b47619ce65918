/** Finds remarks that a model put before or after a text: courtesies, introductions, notes and offers. Pure. */

const REMARKS: readonly RegExp[] = [
  /<\/?think(?:ing)?>/i,
  /^```/,
  /^(?:sure|certainly|of course|absolutely|okay|ok)\b[^\n]{0,80}[:!]\s*\n/i,
  /^(?:(?:sure|certainly|of course|absolutely|okay|ok)\b[,.!]?\s+)?(?:here(?:'s|’s| is| are)|(?:the |your |my )?(?:improved|polished|rewritten|revised|corrected)\b)[^\n]{0,80}:/i,
  // Models introduce a text in its language. Only with a line break, because posts begin with such words too.
  /^(?:hier (?:ist|sind|is|zijn)|voici|voilà|aquí (?:está|tienes)|aqui (?:está|vai)|ecco)(?=[\s:])[^\n]{0,80}:\s*\n/i,
  /\n\s*\n[([*_]*(?:note|changes|changes made|explanation)[*_]*:/i,
  /\n\s*\n[([*_]*i(?:'ve|’ve| have)? (?:only )?(?:fixed|corrected|changed|kept|improved|made|mended)\b[^\n]{0,60}\b(?:spelling|grammar|typos?|punctuation|wording|tone|changes)\b/i,
  /\n\s*\n[([*_]*let me know (?:if|whether) you(?:'d|’d| would)? (?:like|want|prefer|need)\b[^\n]{0,60}\b(?:changes?|versions?|adjust\w*|tweaks?|tone|shorter|longer)\b/i,
];

/** Whether the answer has a remark of a kind that the original has not. */
export function hasAddedRemarks(original: string, answer: string): boolean {
  return REMARKS.some((remark) => remark.test(answer) && !remark.test(original));
}
