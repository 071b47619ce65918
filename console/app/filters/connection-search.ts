/** The filters by profile, platform and connection, read from the addresses of several views. */
import { present, textIn } from '../data/search.ts';

export interface ConnectionSearch {
  readonly profileId?: string;
  readonly platform?: string;
  /** Slug of connections, or the id of one in the list of posts. */
  readonly connection?: string;
}

/** Parameters that change; undefined removes one. */
export type Changes<Search> = { readonly [Name in keyof Search]: Search[Name] | undefined };

export function readConnectionSearch(search: Record<string, unknown>): ConnectionSearch {
  return present({
    profileId: textIn(search, 'profileId'),
    platform: textIn(search, 'platform'),
    connection: textIn(search, 'connection'),
  });
}
