/** The answer in the result of a tool. */
import type { ToolResult } from './host.ts';

/** The answer; null when there is none. A host may leave the structured form out: the text is the same as JSON. */
export function answerOf(result: ToolResult): unknown {
  if (result.isError === true) return null;
  if (isObject(result.structuredContent)) return result.structuredContent;
  try {
    const answer: unknown = JSON.parse(firstText(result) ?? '');
    return isObject(answer) ? answer : null;
  } catch {
    return null;
  }
}

/** The words of a failure, or of anything else that is not an answer. */
export function wordsOf(result: ToolResult): string {
  return firstText(result) ?? 'The answer of the tool has no text.';
}

function firstText({ content }: ToolResult): string | undefined {
  return content?.find(({ type }) => type === 'text')?.text;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
