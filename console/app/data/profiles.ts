/** The profiles of the account, which many views name. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTRPC } from './trpc.ts';

/** A query of the newest profiles; a choice of more would be unusable. */
export function useProfiles() {
  return useQuery(useTRPC().profiles.list.queryOptions({ limit: 100 }));
}

/** The name of a profile by its id; the id while it is not known. */
export function useProfileNames(): (profileId: string) => string {
  const profiles = useProfiles().data;
  return useMemo(() => {
    const names = new Map(profiles?.profiles.map(({ id, name }) => [id, name]));
    return (profileId) => names.get(profileId) ?? profileId;
  }, [profiles]);
}
