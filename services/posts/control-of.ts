/**
 * Who created a post, and for whom: an agent acts for the person who allowed it; and the stop that holds it
 * (docs/contract/posts.md#fields-of-a-single-post).
 */
import { statement } from '../../entities/statement.ts';
import { column } from '../../entities/column-lists.ts';
import type { Context } from '../context.ts';

export interface CreatedBy {
  kind: 'key' | 'grant' | 'person';
  /** Id of the key, the grant or the person. */
  id: string;
  /** Null when it is gone: the audit still names it. */
  name: string | null;
  /** Email address of the person who allowed the grant; null for keys and people, and when it is gone. */
  onBehalfOf: string | null;
}

export interface PostControl {
  /** Null for posts of before this was stored. */
  createdBy: CreatedBy | null;
  stopId: string | null;
}

const findControls = statement('find who created posts, and what holds them', {
  parameters: { postIds: 'uuid[]' },
  result: {
    post_id: 'uuid',
    kind: column('posts', 'created_by_kind'),
    id: column('posts', 'created_by_id'),
    stop_id: column('posts', 'stop_id'),
    name: 'text?',
    email: 'text?',
  },
  sql: ({ postIds }) => `
    select p.id as post_id, p.created_by_kind as kind, p.created_by_id as id, p.stop_id,
      coalesce(k.name, g.client_name, o.email) as name, giver.email
    from posts p
    left join api_keys k on p.created_by_kind = 'key' and k.id = p.created_by_id
    left join oauth_grants g on p.created_by_kind = 'grant' and g.id = p.created_by_id
    left join owners o on p.created_by_kind = 'person' and o.id = p.created_by_id
    left join owners giver on giver.id = g.owner_id
    where p.id = any(${postIds})`,
});

/** @param postIds posts that the caller reaches */
export async function controlsOf({ db }: Context, postIds: readonly string[]): Promise<Map<string, PostControl>> {
  const rows = await findControls(db.queries, { postIds });
  return new Map(
    rows.map(({ post_id: postId, kind, id, name, email, stop_id: stopId }) => [
      postId,
      { createdBy: kind === null || id === null ? null : { kind, id, name, onBehalfOf: email }, stopId },
    ]),
  );
}

/** The control of a post that is gone, or was not created by anybody known. */
export const NO_CONTROL: PostControl = { createdBy: null, stopId: null };
