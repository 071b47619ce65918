/** How events keep the console's lists of posts true: those of one status too, which a post joins and leaves. */
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyEvents, type LiveCache } from '../../console/app/data/live/apply-event.ts';

type Status = 'scheduled' | 'failed' | 'sent';
type Row = { readonly id: string; readonly status: Status };

/** A console that shows lists of posts; `lists` has the rows of each filter. */
function screen(lists: readonly { readonly status?: Status; readonly rows: readonly Row[] }[]) {
  const reads: string[] = [];
  const api = {} as unknown as LiveCache['api'];
  const queryClient = new QueryClient();
  onTestFinished(() => queryClient.clear());
  const trpc: LiveCache['trpc'] = createTRPCOptionsProxy({ client: api, queryClient });
  for (const { status, rows } of lists) {
    const page = { posts: rows, nextCursor: null };
    const observer = new QueryObserver(queryClient, {
      queryKey: trpc.posts.list.queryKey(status === undefined ? {} : { status }),
      queryFn: async () => {
        reads.push(status ?? 'all');
        return page as never;
      },
      initialData: page as never,
      staleTime: Infinity,
    });
    onTestFinished(observer.subscribe(() => undefined));
  }
  const apply = (event: string, post: Partial<Row>) =>
    applyEvents({ queryClient, trpc, api }, [
      { event, id: undefined, data: JSON.stringify({ timestamp: '2026-11-21T12:00:00.000Z', post }) },
    ]);
  return { reads, apply };
}

describe('an event of a post that another list has', () => {
  it('reads the lists again when it joins a list of one status', async () => {
    const { apply, reads } = screen([{ rows: [{ id: 'a', status: 'scheduled' }] }, { status: 'failed', rows: [] }]);

    await apply('post.failed', { id: 'a', status: 'failed' });

    expect(reads).toContain('failed');
  });

  it('reads the lists again when it leaves a list of one status', async () => {
    const { apply, reads } = screen([{ status: 'scheduled', rows: [{ id: 'a', status: 'scheduled' }] }]);

    await apply('post.sent', { id: 'a', status: 'sent' });

    expect(reads).toEqual(['scheduled']);
  });

  it('reads nothing when each list has what belongs into it', async () => {
    const { apply, reads } = screen([
      { rows: [{ id: 'a', status: 'scheduled' }] },
      { status: 'failed', rows: [{ id: 'b', status: 'failed' }] },
    ]);

    await apply('post.sent', { id: 'a', status: 'sent' });

    expect(reads).toEqual([]);
  });
});
