/** The results of a post, for people, and the exit code that they mean. */
import type { Answer, Call } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { exitCodeOfItem } from './failure.ts';
import type { Client } from './signed-in.ts';
import { painter, plainLine } from './terminal-text.ts';

export type PostResult = Awaited<ReturnType<Client['posts']['create']['mutate']>>['results'][number];

const STYLES = { sent: 'green', scheduled: 'yellow', draft: 'yellow', failed: 'red' } as const;

export function answerOfResults({ io }: Pick<Call, 'io'>, body: unknown, results: readonly PostResult[]): Answer {
  const paint = painter(io.stdout, io.env);
  const width = Math.max(...results.map(({ connectionSlug }) => connectionSlug.length));
  const line = (result: PostResult) =>
    `${result.connectionSlug.padEnd(width)}  ${paint(STYLES[result.status], result.status)}  ${detailOf(result)}`.trimEnd();
  const text = `${results.map(line).join('\n')}\n`;
  return { body, text, hints: results.flatMap(hintsFor), exitCode: exitCodeOf(results) };
}

/** A call to the platform whose answer was lost may still arrive. A retry looks for it first, and a new post does not. */
function hintsFor({ status, postId, error }: PostResult): string[] {
  const isUnsent = status === 'failed' && error?.code === 'platform_unavailable';
  return isUnsent && postId !== null ? [`Send it again with: carillon retry ${postId}`] : [];
}

function detailOf({ status, url, scheduledFor, postId, error, warning }: PostResult): string {
  const what =
    status === 'failed' ? `${error?.message ?? ''} (${error?.code ?? 'failed'})` : (url ?? scheduledFor ?? '');
  return [what, postId === null ? '' : `post ${postId}`, warning ?? '']
    .map(plainLine)
    .filter((part) => part !== '')
    .join('  ');
}

function exitCodeOf(results: readonly PostResult[]): number {
  const failed = results.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return EXIT_CODES.ok.code;
  if (failed.length < results.length) return EXIT_CODES.partial.code;
  const codes = failed.map(({ error }) => exitCodeOfItem(error?.code ?? ''));
  // Repeating the others would repeat this one too.
  return codes.find((code) => code === EXIT_CODES.unknown.code) ?? codes[0] ?? EXIT_CODES.failed.code;
}
