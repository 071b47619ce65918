/**
 * A year of use as SQL: posts with their words, tags, attempts and metrics over 200 accounts, one of which has two
 * fifths of them, a month of events with their deliveries, and the audit. Sizes differ only by the number of rows.
 */
import { wordsOf } from '../services/posts/post-words.ts';

/**
 * Connections of the large account. Two have only the oldest fortieth of its posts, and those have no others. The last one has the
 * posts with {@link RARE}.
 */
export const LARGE_CONNECTIONS = 51;
const CURRENT_CONNECTIONS = 48;
const OLD_CONNECTIONS = 2;
const SMALL_CONNECTION = CURRENT_CONNECTIONS + OLD_CONNECTIONS;

/** Slug of a connection with as many posts in each size. */
export const SMALL_SLUG = `bench-${SMALL_CONNECTION + 1}`;

const OTHER_ACCOUNTS = 199;
const OTHER_CONNECTIONS = 4;

/** Tag and word of one post in forty, over the whole year. */
export const SPREAD = 'launch';

/** Tag and word of the oldest fortieth of the posts. */
export const OLD = 'jubilee';

/** Word of one post in a hundred. */
export const SOME = 'harbor';

/** Word of a hundred posts of the large account. */
export const RARE = 'comet';

/** Word of every post. */
export const COMMON = 'ferry';

/** A customer with two connections of different platforms, and one post in 24 of the large account. */
export const SPREAD_PROFILE = '01900000-0000-7000-8000-000000000001';

/** A customer who left: the profile of the oldest fortieth of the posts. */
export const OLD_PROFILE = '01900000-0000-7000-8000-000000000002';

/** A third of the large account's connections. */
const OTHER_PROFILE = '01900000-0000-7000-8000-000000000003';

/** Posts of the large account that are due at one instant, in addition to those of the year. */
export const DUE_POSTS = 200;

/** The newest posts, which are not counted in the daily metrics yet. */
const UNCOUNTED = 100;

/** Events that wait for fan-out, and deliveries that wait for their attempt, in addition to those of the month. */
export const WAITING = 200;

/** An id that sorts by its time, like those of the service. */
const idAt = (moment: string) =>
  `(overlay(lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0') placing '-' from 9 for 0)
    || '-7' || right(gen_random_uuid()::text, 21))::uuid`;

const random = (seed: number) => `(hashint8extended(i, ${seed}) & 2147483647)`;

/** The last day of the posts is the present one, and the first more than a year ago. */
const POSTS_SPAN = `interval '366.5 days'`;
const EVENTS_SPAN = `interval '31 days'`;
const AUDIT_SPAN = `interval '600 days'`;

/**
 * Makes the accounts from the install's only one, and moves all connections after the first {@link LARGE_CONNECTIONS} to
 * them. Every account has a copy of the one webhook.
 */
export const ACCOUNTS_SQL = [
  `create table bench_connections as
     select row_number() over (order by length(slug), slug) - 1 as n, id, slug from connections where slug like 'bench-%'`,
  `create table bench_accounts as
     select n, gen_random_uuid() as id from generate_series(1, ${OTHER_ACCOUNTS}) as n`,
  `insert into accounts select (jsonb_populate_record(a, jsonb_build_object('id', b.id))).* from accounts a, bench_accounts b`,
  `update connections c set account_id = a.id from bench_connections b join bench_accounts a
     on a.n = (b.n - ${LARGE_CONNECTIONS}) / ${OTHER_CONNECTIONS} + 1
   where b.n >= ${LARGE_CONNECTIONS} and c.id = b.id`,
  // Posts of a platform besides the sandbox: a tenth of the connections.
  `update connections c set platform_id = 'bluesky' from bench_connections b where b.id = c.id and b.n % 10 = 9`,
  `insert into webhooks select (jsonb_populate_record(w, jsonb_build_object('id', ${idAt('w.created_at')}, 'account_id', b.id))).*
   from webhooks w, bench_accounts b`,
  `insert into profiles (id, account_id, name, created_at)
   select profile::uuid, w.account_id, profile, w.created_at - ${POSTS_SPAN}
   from (select account_id, created_at from webhooks order by account_id = any(select id from bench_accounts), id limit 1) w,
     unnest('{${SPREAD_PROFILE},${OLD_PROFILE},${OTHER_PROFILE}}'::text[]) as profile`,
  // A post has the profile of its connection.
  `update connections c set profile_id = case when n = ${SMALL_CONNECTION} then null
     when n >= ${CURRENT_CONNECTIONS} then '${OLD_PROFILE}'::uuid
     when n in (8, 9) then '${SPREAD_PROFILE}'::uuid when n % 3 = 1 then '${OTHER_PROFILE}'::uuid end
   from bench_connections b where b.id = c.id and b.n < ${LARGE_CONNECTIONS}`,
  `alter table bench_connections add account_id uuid, add profile_id uuid, add platform_id text`,
  `update bench_connections b set account_id = c.account_id, profile_id = c.profile_id, platform_id = c.platform_id
   from connections c where c.id = b.id`,
  `analyze bench_connections`,
];

const IS_RARE = `i % greatest($2::bigint / 100, 5) = 1`;

// Two of five posts are of the large account, in turns over its connections.
const connectionOf = (old: string, rare: string) => `case
  when ${rare} then ${SMALL_CONNECTION}
  when i % 5 < 2 and ${old} then ${CURRENT_CONNECTIONS} + (i / 5) % ${OLD_CONNECTIONS}
  when i % 5 < 2 then (i / 5) % ${CURRENT_CONNECTIONS}
  else ${LARGE_CONNECTIONS} + ${random(1)} % ${OTHER_ACCOUNTS * OTHER_CONNECTIONS} end`;

const COLUMNS = `id, account_id, connection_id, profile_id, connection_slug, platform_id, mode, status, text, original_text,
  tags, thread, tries, url, platform_post_id, error_code, error_message, scheduled_for, created_at, sent_at, deleted_at,
  next_read_at, counted, reads_thinned`;

/** Posts by `i`, from the oldest on, each with its `moment`. */
const postsSql = (numbers: string, status: string, scheduledFor: string) => `
  insert into posts (${COLUMNS})
  select ${idAt('moment')}, account_id, c.id, profile_id, slug, platform_id, 'live', status, words, words, tags, '{}',
    (status in ('sent', 'failed', 'deleted'))::int,
    case when sent then 'https://bench.example/sandbox/' || platform_post_id end, case when sent then platform_post_id end,
    case when status = 'failed' then 'platform_rejected' end, case when status = 'failed' then 'The sandbox refuses it.' end,
    ${scheduledFor}, moment, case when sent then moment end, case when status = 'deleted' then moment end,
    case when status = 'sent' and age < interval '30 days' then $1::timestamptz + ${random(5)} % 86400 * interval '1 second' end,
    sent and i <= $2::bigint - ${UNCOUNTED},
    case when sent and age > interval '36 days' then 1 else 0 end
  from (
    select *, status in ('sent', 'deleted') as sent, $1::timestamptz - moment as age, gen_random_uuid()::text as platform_post_id,
      'The bells ring at noon, and once more when the ${COMMON} leaves for the islands, as it did on day w' || ${random(2)} % 20000
        || array_to_string(marks, '') as words
    from (
      select *, ${status} as status,
        array_remove(array[case when ${random(3)} % 40 = 1 then ' ${SPREAD}' end, case when old then ' ${OLD}' end,
          case when ${random(3)} % 100 = 7 then ' ${SOME}' end,
          case when ${IS_RARE} then ' ${RARE}' end], null) as marks,
        array_remove(array[case when ${random(3)} % 3 = 0 then 'news' end, case when ${random(3)} % 40 = 1 then '${SPREAD}' end,
          case when old then '${OLD}' end], null) as tags
      from (${numbers}) numbers) marked) described
  join bench_connections c on c.n = ${connectionOf('old', IS_RARE)}`;

export const SENT_SQL = postsSql(
  `select i, i < $2::bigint / 40 as old, $1::timestamptz - ($2::bigint - i) * (${POSTS_SPAN} / $2::bigint) as moment
   from generate_series(1, $2::bigint) as i`,
  `(array['sent', 'deleted', 'failed', 'cancelled', 'draft'])[case when ${random(6)} % 100 < 92 then 1
     when ${random(6)} % 100 < 94 then 2 when ${random(6)} % 100 < 97 then 3 when ${random(6)} % 100 < 99 then 4 else 5 end]`,
  `case when status = 'failed' and ${random(6)} % 2 = 0 then moment end`,
);

/** One post in 200 waits, over the next month; and {@link DUE_POSTS} of the large account's sandboxes at one instant, $3. */
export const WAITING_SQL = postsSql(
  `select i, false as old, $1::timestamptz + i * interval '1 ms' as moment from generate_series(1, $2::bigint / 200) as i`,
  `'scheduled'`,
  `$1::timestamptz + interval '3 days' + i * (interval '27 days' / ($2::bigint / 200))`,
);
export const DUE_SQL = postsSql(
  `select i * 5 as i, false as old, $1::timestamptz + interval '1 hour' + i * interval '1 ms' as moment
   from generate_series(1, ${DUE_POSTS * 2}) as i where i % ${CURRENT_CONNECTIONS} % 10 <> 9 limit ${DUE_POSTS}`,
  `'scheduled'`,
  `$3::timestamptz`,
);

export const WORDS_SQL = `insert into post_words select p.id, ${wordsOf('p.account_id', 'p.text')} from posts p`;
export const TAGS_SQL = `insert into post_tags (post_id, tag, account_id) select p.id, t.tag, p.account_id from posts p, unnest(p.tags) as t(tag)`;
export const ATTEMPTS_SQL = `
  insert into attempts (id, post_id, step, index, state, token, started_at, settled_at, platform_post_id, url)
  select ${idAt('p.created_at')}, p.id, 'head', 0, case when p.status = 'failed' then 'rejected' else 'accepted' end, p.id,
    p.created_at, p.created_at, p.platform_post_id, p.url
  from posts p where p.status in ('sent', 'deleted', 'failed')`;

/** The newest posts have ten reads each; older ones the two that stay. */
export const READS_SQL = `
  insert into metrics_reads
  select p.id, r.number, p.sent_at + r.number * interval '8 hours', r.number * 20, r.number, 1, 0, r.number / 3
  from posts p cross join lateral (
    select n * 6 as number from generate_series(1, case when p.reads_thinned = 0 then 10 else 2 end) as n) r
  where p.sent_at is not null`;

export const DAILY_SQL = `
  insert into daily_numbers
  select account_id, scope, case when scope = 'account' then '00000000-0000-0000-0000-000000000000' else
      coalesce(profile_id, '00000000-0000-0000-0000-000000000000') end, (sent_at at time zone 'UTC')::date, platform_id,
    case when scope = 'account' then '' else connection_slug end, mode, count(*), count(*), count(*), sum(40), sum(2), sum(1),
    sum(0), sum(1)
  from posts, unnest('{account,connection}'::text[]) as scope where sent_at is not null and counted
  group by 1, 2, 3, 4, 5, 6, 7`;

/** Posts that events are about, and the webhooks of their accounts. */
export const RECENT_SQL = [
  `create table bench_recent as
     select row_number() over (order by p.id) - 1 as n, p.id, p.account_id, p.profile_id, p.connection_slug, w.id as webhook_id
     from posts p join webhooks w on w.account_id = p.account_id where p.sent_at > $1::timestamptz - ${EVENTS_SPAN}`,
  `create unique index on bench_recent (n)`,
  `analyze bench_recent`,
];

export const EVENTS_SQL = `
  insert into events (id, account_id, profile_id, name, mode, subject_id, payload, created_at, fanned_out_at)
  select ${idAt('moment')}, r.account_id, r.profile_id, case when i % 33 = 0 then 'post.sent' else 'post.metrics' end, 'live', r.id,
    jsonb_build_object('post', jsonb_build_object('id', r.id, 'connectionSlug', r.connection_slug, 'likes', i % 50)), moment, moment
  from (select i, $1::timestamptz - ($2::bigint - i) * (${EVENTS_SPAN} / $2::bigint) as moment
    from generate_series(1, $2::bigint) as i) numbers
  join bench_recent r on r.n = ${random(7)} % (select count(*) from bench_recent)`;

/** One delivery an event. One in a hundred died, and as many failed once. */
export const DELIVERIES_SQL = `
  insert into deliveries (id, webhook_id, source_id, event, mode, body, status, attempts, created_at, next_attempt_at, delivered_at,
    dead_at, last_status_code, last_error, subject_id)
  select ${idAt('e.created_at')}, w.id, e.id, e.name, 'live', '{}', case when dead then 'dead' else 'delivered' end,
    case when dead then 8 else 1 end, e.created_at, e.created_at, case when not dead then e.created_at end,
    case when dead then e.created_at end, case when dead then 500 else 200 end, case when dead then 'answered with 500' end,
    e.subject_id
  from events e join webhooks w on w.account_id = e.account_id
    cross join lateral (select hashtext(e.id::text) % 100 = 7 as dead) d`;

export const NEW_EVENTS_SQL = `
  with made as (
    insert into events (id, account_id, name, mode, subject_id, payload, created_at, fanned_out_at)
    select ${idAt('moment')}, e.account_id, e.name, e.mode, e.subject_id, e.payload, moment, case when pending then moment end
    from (select e.* from events e where account_id = (select account_id from bench_connections where n = 0) order by id desc limit 1) e,
      generate_series(1, ${WAITING}) as i, unnest('{true,false}'::boolean[]) as pending,
      lateral (select e.created_at + i * interval '1 ms' as moment) m
    returning *)
  insert into deliveries (id, webhook_id, source_id, event, mode, body, created_at, next_attempt_at, subject_id)
  select ${idAt('m.created_at')}, w.id, m.id, m.name, m.mode, m.payload::text, m.created_at, m.created_at, gen_random_uuid()
  from made m join webhooks w on w.account_id = m.account_id where m.fanned_out_at is not null`;

export const AUDIT_SQL = `
  insert into audit_entries (id, account_id, at, actor_kind, actor_id, actor_name, surface, operation, object_type, object_ids, outcome,
    mode, request_id)
  select ${idAt('moment')}, c.account_id, moment, 'key', c.account_id, 'Server', 'rest',
    case when i % 9 = 0 then 'posts.delete' else 'posts.create' end, 'post', array[gen_random_uuid()],
    case when i % 50 = 0 then 'invalid_request' else 'ok' end, 'live', c.account_id
  from (select i, $1::timestamptz - ($2::bigint - i) * (${AUDIT_SPAN} / $2::bigint) as moment
    from generate_series(1, $2::bigint) as i) numbers
  join bench_connections c on c.n = ${connectionOf('false', 'false')}`;

/** How many sandbox connections the install needs before a year is stored, named `bench-1` and so on. */
export const CONNECTIONS = LARGE_CONNECTIONS + OTHER_ACCOUNTS * OTHER_CONNECTIONS;
