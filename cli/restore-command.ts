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
  readonly feeds: number;
  readonly imports: number;
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

function describe({ heldUntil, isSettling, posts, feeds, imports }: Hold): string {
  if (heldUntil === null) return 'No posts are held.\n';
  const held = `${counted(posts, 'post')} that ${posts === 1 ? 'was' : 'were'} due by ${heldUntil}`;
  const state = isSettling ? `Workers are looking up ${held}.\n` : `Held: ${held}.\n`;
  if (feeds + imports === 0) return state;
  const until = isSettling ? 'that is over' : 'you settle or release';
  return `${state}Waiting until ${until}: ${counted(feeds, 'feed')}, ${counted(imports, 'import')}.\n`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
