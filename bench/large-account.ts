/**
 * Fills an install with as many posts as an account collects over years, and defines which filters match which posts.
 */
import type { Client } from 'pg';

/** What a filter has to find: one post in forty, so that a thousand posts contain exactly one page of 25. */
const SHARE = 40;

/** A tag on one post in forty, spread over the account's whole time. */
export const SPREAD_TAG = 'launch';

/** A tag on only the oldest fortieth of the posts, like that of a finished campaign. */
export const OLD_TAG = 'jubilee';

/** The profile of one post in forty, spread over the account's whole time. */
export const SPREAD_PROFILE = '01900000-0000-7000-8000-000000000001';

/** The profile of only the oldest fortieth of the posts: a customer who has become inactive. */
export const QUIET_PROFILE = '01900000-0000-7000-8000-000000000002';

/** The profile of a third of the other posts; the rest have no profile. */
const BUSY_PROFILE = '01900000-0000-7000-8000-000000000003';

/**
 * The columns that differ from post to post. All others come from the model, so that the copies follow the schema
 * automatically.
 */
const VALUES: Readonly<Record<string, string>> = {
  id: `(overlay(lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') placing '-' from 9 for 0)
    || '-7' || right(gen_random_uuid()::text, 21))::uuid`,
  created_at: 'moment',
  sent_at: `case when copy % 100 < 94 then moment end`,
  deleted_at: `case when copy % 100 in (92, 93) then moment end`,
  status: `(array['sent', 'deleted', 'failed', 'cancelled', 'draft'])[case when copy % 100 < 92 then 1
    when copy % 100 < 94 then 2 when copy % 100 < 97 then 3 when copy % 100 < 99 then 4 else 5 end]`,
  tags: `array_remove(array[case when copy % 3 = 0 then 'news' end, case when copy % 7 = 0 then 'weekly' end,
    case when copy % ${SHARE} = 1 then '${SPREAD_TAG}' end, case when old then '${OLD_TAG}' end], null)`,
  profile_id: `case when old then '${QUIET_PROFILE}'::uuid when copy % ${SHARE} = 2 then '${SPREAD_PROFILE}'::uuid
    when copy % 11 < 4 then '${BUSY_PROFILE}'::uuid end`,
  connection_id: `(array(select id from own))[copy % (select count(*) from own)::int + 1]`,
  connection_slug: `(array(select slug from own))[copy % (select count(*) from own)::int + 1]`,
};

/**
 * Copies a published post, half a minute apart into the past, until its account has this many posts over all of its
 * connections. Ids are UUIDs that sort by time like those of the service.
 */
export async function fillAccount(client: Client, postId: string, posts: number): Promise<void> {
  await client.query(
    `insert into profiles (id, account_id, name, created_at)
     select profile::uuid, p.account_id, profile, p.created_at from posts p, unnest($2::text[]) as profile where p.id = $1`,
    [postId, [SPREAD_PROFILE, QUIET_PROFILE, BUSY_PROFILE]],
  );
  const { rows: columns } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = 'posts'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
  );
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const values = columns.map(({ name }) => VALUES[name] ?? `p."${name}"`).join(', ');
  await client.query(
    `with own as (select id, slug from connections where account_id = (select account_id from posts where id = $1) order by id)
     insert into posts (${names}) select ${values} from posts p,
       lateral (select copy, p.created_at - copy * interval '30 seconds' as moment, copy >= $2::int - $2::int / ${SHARE} as old
         from generate_series($2::int - 1, 1, -1) as copy) c
     where p.id = $1`,
    [postId, posts],
  );
  await client.query(
    `insert into post_tags (post_id, tag, account_id) select p.id, t.tag, p.account_id from posts p, unnest(p.tags) as t(tag)`,
  );
  await client.query('vacuum analyze');
}
