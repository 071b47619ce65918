/** The sandbox, which is part of the install. */
import type { World } from '../../harness/world.ts';
import type { Fault } from '../fakes/wire.ts';
import type { PlatformServer, ServerImage } from './platform-server.ts';

/** The sandbox's directives for the faults that the other fakes simulate directly. */
const DIRECTIVES: Partial<Record<Fault, string>> = { rate_limited: '[[unavailable]]', drops_after: '[[lost]]' };

export function sandboxServer({ sql }: World): PlatformServer {
  const rows = () =>
    sql<{ text: string; images: readonly ServerImage[] }>(
      'select text, images from sandbox_posts where deleted_at is null order by id',
    );
  return {
    platformId: 'sandbox',
    maxLength: 500,
    maxFamilies: 500,
    credentials: {},
    env: {},
    textMeeting: (fault, text) => `${text} ${DIRECTIVES[fault]}`,
    existing: async () => (await rows()).map(({ text }) => text),
    lastImages: async () => ((await rows()).at(-1)?.images ?? []).map(({ altText }) => ({ altText })),
    revoke: () => undefined,
    close: async () => {},
  };
}
