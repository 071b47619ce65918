/**
 * Finds markup that a model added: tags, Markdown, template code, turns of a chat and calls of tools. Platforms show it
 * as it is, or act on it; programs behind a post may do the same. Pure.
 */

const MARKUP: readonly RegExp[] = [
  /<[a-z/!?@#|][^<>]*>?/giu,
  /&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]+);/giu,
  /!?\[[^\][\n]*\]\s?[([]/gu,
  /```|~~~/gu,
  /\*\*[^*\n]+\*\*|__[^_\n]+__/gu,
  // Emphasis and code: signs at both ends of words, and none inside of a word as in snake_case or 2*3*4.
  /(?<![\p{L}\p{N}*])\*(?![\s*])[^*\n]*(?<!\s)\*(?![\p{L}\p{N}*])/gu,
  /(?<![\p{L}\p{N}_])_(?![\s_])[^_\n]*(?<!\s)_(?![\p{L}\p{N}_])/gu,
  /~~[^~\n]+~~/gu,
  /(?<!`)`(?!`)[^`\n]+`(?!`)/gu,
  /^#{1,6}\s/gmu,
  /^>\s/gmu,
  /\{\{|\{%|\$\{|<%/gu,
  /\[\/?INST\]|<<\/?SYS>>/giu,
  /^[ \t]*(?:system|assistant|user|human|developer|tool)\s*:/gimu,
  /"(?:tool_calls?|tool_name|tool_use|function_call|function|arguments|parameters)"\s*:/giu,
];

/** Whether the answer has more markup of a kind than the original. Pass '' when there is no original. */
export function hasAddedMarkup(original: string, answer: string): boolean {
  return (
    MARKUP.some((pattern) => countOf(pattern, answer) > countOf(pattern, original)) ||
    (isJson(answer) && !isJson(original))
  );
}

function countOf(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
