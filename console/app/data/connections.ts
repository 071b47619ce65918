/** The connections and platforms of the account, which many views show beside other things. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Connection } from './api-types.ts';
import { useTRPC } from './trpc.ts';

export type { Connection } from './api-types.ts';

/** Platforms change only when the service is upgraded or configured. */
const PLATFORMS_FRESH_MS = 3_600_000;

/** A query of all connections. */
export function useConnections() {
  return useQuery(useTRPC().connections.list.queryOptions({}));
}

/** A query of the platforms of this install. */
export function usePlatforms() {
  return useQuery(useTRPC().platforms.list.queryOptions({}, { staleTime: PLATFORMS_FRESH_MS }));
}

export interface Names {
  /** The platform's name; its id while it is not known. */
  platform(platformId: string): string;
  /** The platform of the connection of a post; null when its profile has no such connection, or none is known yet. */
  platformOf(post: PostTarget): string | null;
}

/** Where a post goes. Slugs are unique only within a profile, so the slug alone does not say it. */
export interface PostTarget {
  readonly connectionSlug: string;
  readonly profileId: string | null;
}

/** Platforms by where posts go. */
export function platformsByTarget(connections: readonly Pick<Connection, 'slug' | 'profileId' | 'platformId'>[]) {
  const keyOf = (profileId: string | null, slug: string) => `${profileId} ${slug}`;
  const ids = new Map(connections.map(({ profileId, slug, platformId }) => [keyOf(profileId, slug), platformId]));
  return ({ profileId, connectionSlug }: PostTarget): string | undefined => ids.get(keyOf(profileId, connectionSlug));
}

/** Names for people. They are ids until both lists are read. */
export function useNames(): Names {
  const platforms = usePlatforms().data;
  const connections = useConnections().data;
  return useMemo(() => {
    const names = new Map(platforms?.platforms.map(({ id, name }) => [id, name]));
    const idOf = platformsByTarget(connections?.connections ?? []);
    const platform = (id: string) => names.get(id) ?? id;
    return {
      platform,
      platformOf: (post) => {
        const id = idOf(post);
        return id === undefined ? null : platform(id);
      },
    };
  }, [platforms, connections]);
}
