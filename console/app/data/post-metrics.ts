/** The metrics of a post with their names for people, in the order in which they are shown. */
import type { Outputs } from './api-types.ts';

type Read = Outputs['posts']['metrics']['history'][number];

export const POST_METRICS = [
  ['impressions', 'Impressions'],
  ['likes', 'Likes'],
  ['reposts', 'Reposts'],
  ['replies', 'Replies'],
  ['clicks', 'Clicks'],
] as const satisfies readonly (readonly [keyof Read, string])[];
