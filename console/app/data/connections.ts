/** The connections and platforms of the account, which many views show beside other things. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Outputs, useTRPC } from './trpc.ts';

export type Connection = Outputs['connections']['list']['connections'][number];

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
  /** The platform of a connection, by slug; null when the connection is gone or not known. */
  platformOfSlug(slug: string): string | null;
}

/** Names for people. They are ids until both lists are read. */
export function useNames(): Names {
  const platforms = usePlatforms().data;
  const connections = useConnections().data;
  return useMemo(() => {
    const names = new Map(platforms?.platforms.map(({ id, name }) => [id, name]));
    const bySlug = new Map(connections?.connections.map(({ slug, platformId }) => [slug, platformId]));
    const platform = (id: string) => names.get(id) ?? id;
    return {
      platform,
      platformOfSlug: (slug) => {
        const id = bySlug.get(slug);
        return id === undefined ? null : platform(id);
      },
    };
  }, [platforms, connections]);
}
