/** Ten thousand stored posts: copies of one published post, so that they follow the schema automatically. */

/** How many posts {@link COPY_POSTS} adds to an install. */
export const STORED_POSTS = 10_000;

/**
 * Copies the post with id $1, a second apart into the past. Ids are UUIDs that sort by time like those of the service.
 * One statement; works on both engines.
 */
export const COPY_POSTS = `
  insert into posts
  select (jsonb_populate_record(p, jsonb_build_object(
    'id', overlay(lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') placing '-' from 9 for 0)
      || '-7' || right(gen_random_uuid()::text, 21),
    'created_at', moment, 'sent_at', moment))).*
  from posts p, generate_series(1, ${STORED_POSTS}) as copy, lateral (select p.created_at - copy * interval '1 second' as moment) m
  where p.id = $1`;
