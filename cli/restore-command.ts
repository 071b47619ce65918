/**
 * `restore status`, `hold`, `settle` and `release`: what becomes known about, and is done with, the posts that are held
 * after a restore (docs/operations.md#after-a-restore).
 */
import { type Environment, operatorClient, type Request, UsageError } from './operator-client.ts';
import { parseOptions } from './parse-options.ts';

const OPTIONS = { url: { type: 'string' } } as const;

interface Hold {
  readonly heldUntil: string | null;
  readonly isSettling: boolean;
  readonly posts: number;
}

/** @returns what to print */
export async function restoreCommand(request: Request, args: string[], env: Environment): Promise<string> {
  const { values, positionals } = parseOptions(args, OPTIONS);
  const [verb = ''] = positionals;
  if (!['status', 'hold', 'settle', 'release'].includes(verb) || positionals.length > 1) throw new UsageError('');
  const client = await operatorClient(request, values, env);
  const answer =
    verb === 'status' ? client.call('GET', '/restore') : client.call('POST', '/restore', { decision: verb });
  return describe((await answer) as Hold);
}

function describe({ heldUntil, isSettling, posts }: Hold): string {
  if (heldUntil === null) return 'No posts are held.\n';
  const held = `${posts} ${posts === 1 ? 'post' : 'posts'} that ${posts === 1 ? 'was' : 'were'} due by ${heldUntil}`;
  if (isSettling) return `Workers are looking up ${held}.\n`;
  return `Held: ${held}.\n`;
}
