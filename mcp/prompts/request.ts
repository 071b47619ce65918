/** The single message of a prompt: what the person asks the model to do. */
import type { GetPromptResult } from '@modelcontextprotocol/server';

export function request(description: string, paragraphs: readonly string[]): GetPromptResult {
  return { description, messages: [{ role: 'user', content: { type: 'text', text: paragraphs.join('\n\n') } }] };
}
