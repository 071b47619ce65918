/**
 * The first schema: every table, index and constraint, as the entities declare them, and the rate limit, which
 * hand-written SQL maintains.
 */
import { Migration } from '@mikro-orm/migrations';

/** Tables with their indexes and checks. Each entry is one statement, because PGlite accepts only one at a time. */
const TABLES = [
  `create table "accounts" (
    "id" uuid not null,
    "media_bytes" int not null default 0,
    "plan" text not null default 'unlimited',
    "has_payment_method" boolean not null default false,
    "x_spend_cap_cents" int null,
    "x_analytics" boolean not null default false,
    "rewrite_default" boolean not null default false,
    "has_own_message_cap" boolean not null default false,
    "messages_per_day" int null,
    "created_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `alter table "accounts" add constraint "accounts_plan_check" check ("plan" in ('free', 'pro', 'unlimited'))`,

  `create table "audit_entries" (
    "id" uuid not null,
    "account_id" uuid not null,
    "at" timestamptz(3) not null,
    "actor_kind" text not null,
    "actor_id" text not null,
    "actor_name" text not null,
    "surface" text not null,
    "operation" text not null,
    "object_type" text null,
    "object_ids" uuid[] not null,
    "outcome" text null,
    "mode" text not null,
    "profile_id" uuid null,
    "request_id" text null,
    primary key ("id")
  )`,
  `create index "audit_entries_account_id_id_index" on "audit_entries" ("account_id", "id")`,
  `create index "audit_entries_account_id_actor_id_id_index" on "audit_entries" ("account_id", "actor_id", "id")`,
  `create index "audit_entries_account_id_operation_id_index" on "audit_entries" ("account_id", "operation", "id")`,
  `create index "audit_entries_other_actors_index" on "audit_entries" ("account_id", "actor_kind", "id") where ("actor_kind" <> 'key')`,
  `create index "audit_entries_not_ok_index" on "audit_entries" ("account_id", "outcome", "id") where ("outcome" is null or "outcome" <> 'ok')`,
  `create index "audit_entries_object_ids_index" on "audit_entries" using gin ("object_ids")`,
  `alter table "audit_entries" add constraint "audit_entries_actor_kind_check" check ("actor_kind" in ('key', 'oauth_client', 'person', 'customer', 'operator'))`,
  `alter table "audit_entries" add constraint "audit_entries_surface_check" check ("surface" in ('rest', 'trpc', 'mcp', 'console', 'connect_page', 'operator', 'oauth'))`,
  `alter table "audit_entries" add constraint "audit_entries_mode_check" check ("mode" in ('live', 'test'))`,

  `create table "charges" (
    "id" uuid not null,
    "account_id" uuid not null,
    "kind" text not null,
    "subject_id" uuid not null,
    "number" int not null default 0,
    "platform_id" varchar(255) not null,
    "cents" int not null,
    "at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `create index "charges_account_id_at_index" on "charges" ("account_id", "at")`,
  `alter table "charges" add constraint "charges_subject_id_kind_number_unique" unique ("subject_id", "kind", "number")`,
  `alter table "charges" add constraint "charges_kind_check" check ("kind" in ('post', 'read'))`,

  `create table "daily_numbers" (
    "account_id" uuid not null,
    "scope" text not null,
    "profile_id" uuid not null,
    "day" date not null,
    "platform_id" varchar(255) not null,
    "connection_slug" varchar(255) not null,
    "mode" text not null,
    "posts" int not null,
    "read_posts" int not null,
    "impression_posts" int not null,
    "impressions" bigint not null,
    "likes" bigint not null,
    "reposts" bigint not null,
    "replies" bigint not null,
    "clicks" bigint not null,
    primary key ("account_id", "scope", "profile_id", "day", "platform_id", "connection_slug", "mode")
  )`,
  `create index "daily_numbers_account_id_connection_slug_day_index" on "daily_numbers" ("account_id", "connection_slug", "day")`,
  `alter table "daily_numbers" add constraint "daily_numbers_scope_check" check ("scope" in ('account', 'connection'))`,
  `alter table "daily_numbers" add constraint "daily_numbers_mode_check" check ("mode" in ('live', 'test'))`,

  `create table "events" (
    "id" uuid not null,
    "account_id" uuid not null,
    "profile_id" uuid null,
    "name" text not null,
    "mode" text not null,
    "subject_id" uuid not null,
    "payload" jsonb not null,
    "created_at" timestamptz(3) not null,
    "fanned_out_at" timestamptz(3) null,
    "written_in" xid8 not null default pg_current_xact_id(),
    primary key ("id")
  )`,
  `create index "events_account_id_id_index" on "events" ("account_id", "id")`,
  `create index "events_account_id_written_in_id_index" on "events" ("account_id", "written_in", "id")`,
  `create index "events_subject_id_index" on "events" ("subject_id")`,
  `create index "events_waiting_index" on "events" ("id") where ("fanned_out_at" is null)`,
  `alter table "events" add constraint "events_name_check" check ("name" in ('post.sent', 'post.failed', 'post.deleted', 'post.metrics', 'post.rescheduled', 'connection.created', 'connection.removed', 'webhook.disabled'))`,
  `alter table "events" add constraint "events_mode_check" check ("mode" in ('live', 'test'))`,

  `create table "health_samples" (
    "minute" timestamptz(3) not null,
    "degraded" boolean not null,
    primary key ("minute")
  )`,

  `create table "idempotency_records" (
    "id" uuid not null,
    "account_id" uuid not null,
    "key" varchar(255) not null,
    "operation" varchar(255) not null,
    "body_hash" varchar(64) not null,
    "response" jsonb not null,
    "completed_at" timestamptz(3) null,
    "mode" text null,
    "profile_id" uuid null,
    "created_at" timestamptz(3) not null,
    "expires_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `create index "idempotency_records_expires_at_index" on "idempotency_records" ("expires_at")`,
  `alter table "idempotency_records" add constraint "idempotency_records_account_id_key_unique" unique ("account_id", "key")`,
  `alter table "idempotency_records" add constraint "idempotency_records_mode_check" check ("mode" in ('live', 'test'))`,

  `create table "media" (
    "id" uuid not null,
    "account_id" uuid not null,
    "profile_id" uuid null,
    "content_type" varchar(255) not null,
    "size_bytes" int not null,
    "width" int not null,
    "height" int not null,
    "alt_text" text null,
    "state" text not null,
    "created_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `create index "media_account_id_id_index" on "media" ("account_id", "id")`,
  `create index "media_unsettled_index" on "media" ("id") where ("state" in ('storing', 'removing'))`,
  `alter table "media" add constraint "media_state_check" check ("state" in ('storing', 'stored', 'removing', 'removed'))`,

  `create table "oauth_artifacts" (
    "id_hash" varchar(64) not null,
    "kind" varchar(255) not null,
    "payload" jsonb not null,
    "grant_id" uuid null,
    "consumed_at" timestamptz(3) null,
    "expires_at" timestamptz(3) null,
    primary key ("id_hash")
  )`,
  `create index "oauth_artifacts_grant_id_index" on "oauth_artifacts" ("grant_id")`,
  `create index "oauth_artifacts_expires_at_index" on "oauth_artifacts" ("expires_at")`,

  `create table "oauth_keys" (
    "id" uuid not null,
    "jwk" text not null,
    "created_at" timestamptz(3) not null,
    primary key ("id")
  )`,

  `create table "owners" (
    "id" uuid not null,
    "account_id" uuid not null,
    "email" varchar(255) not null,
    "password_hash" text null,
    "created_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `alter table "owners" add constraint "owners_email_unique" unique ("email")`,

  `create table "owner_links" (
    "id" uuid not null,
    "account_id" uuid not null,
    "secret_hash" varchar(64) not null,
    "expires_at" timestamptz(3) not null,
    "created_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `alter table "owner_links" add constraint "owner_links_secret_hash_unique" unique ("secret_hash")`,

  `create table "owner_notices" (
    "id" uuid not null,
    "owner_id" uuid not null,
    "subject" text not null,
    "text" text not null,
    "status" text not null default 'pending',
    "attempts" int not null default 0,
    "created_at" timestamptz(3) not null,
    "next_attempt_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `create index "owner_notices_due_index" on "owner_notices" ("next_attempt_at") where ("status" = 'pending')`,
  `alter table "owner_notices" add constraint "owner_notices_status_check" check ("status" in ('pending', 'sending', 'sent', 'failed'))`,

  `create table "passkeys" (
    "id" uuid not null,
    "owner_id" uuid not null,
    "credential_id" text not null,
    "public_key" text not null,
    "counter" double precision not null,
    "created_at" timestamptz(3) not null,
    "last_used_at" timestamptz(3) null,
    primary key ("id")
  )`,
  `alter table "passkeys" add constraint "passkeys_credential_id_unique" unique ("credential_id")`,
  `create index "passkeys_owner_id_id_index" on "passkeys" ("owner_id", "id")`,

  `create table "platform_apps" (
    "id" uuid not null,
    "platform_id" varchar(255) not null,
    "origin" text not null,
    "redirect_uri" text not null,
    "app" text not null,
    "created_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `alter table "platform_apps" add constraint "platform_apps_platform_id_origin_redirect_uri_unique" unique ("platform_id", "origin", "redirect_uri")`,

  `create table "profiles" (
    "id" uuid not null,
    "account_id" uuid not null,
    "name" varchar(100) not null,
    "external_id" varchar(200) null,
    "created_at" timestamptz(3) not null,
    "deleted_at" timestamptz(3) null,
    primary key ("id")
  )`,
  `create index "profiles_account_id_id_index" on "profiles" ("account_id", "id")`,
  `create unique index "profiles_external_id_unique" on "profiles" ("account_id", "external_id") where ("deleted_at" is null)`,

  `create table "oauth_grants" (
    "id" uuid not null,
    "account_id" uuid not null,
    "owner_id" uuid not null,
    "client_id" text not null,
    "client_name" text not null,
    "redirect_host" text not null,
    "scopes" text[] not null,
    "profile_id" uuid null,
    "mode" text not null,
    "created_at" timestamptz(3) not null,
    "last_used_at" timestamptz(3) null,
    "revoked_at" timestamptz(3) null,
    primary key ("id")
  )`,
  `create index "oauth_grants_owner_id_id_index" on "oauth_grants" ("owner_id", "id")`,
  `create index "oauth_grants_client_id_index" on "oauth_grants" ("client_id")`,
  `alter table "oauth_grants" add constraint "oauth_grants_mode_check" check ("mode" in ('live', 'test'))`,

  `create table "connections" (
    "id" uuid not null,
    "account_id" uuid not null,
    "profile_id" uuid null,
    "platform_id" varchar(255) not null,
    "slug" varchar(255) not null,
    "description" varchar(255) not null,
    "timezone" varchar(255) not null default 'UTC',
    "queue_slots" jsonb not null,
    "queue_paused" boolean not null default false,
    "rewrite_mode" text not null default 'inherit',
    "backoff_until" timestamptz(3) null,
    "platform_account_id" varchar(255) not null,
    "follows_account_id" text null,
    "handle" varchar(255) not null,
    "limits" jsonb null,
    "credentials" text null,
    "renewal_lease_until" timestamptz(3) null,
    "renew_at" timestamptz(3) null,
    "reconnect_since" timestamptz(3) null,
    "reconnect_reason" text null,
    "reconnect_told_by" text null,
    "created_at" timestamptz(3) not null,
    "deleted_at" timestamptz(3) null,
    primary key ("id")
  )`,
  `create index "connections_account_id_id_index" on "connections" ("account_id", "id")`,
  `create index "connections_renewal_index" on "connections" ("renew_at") where ("renew_at" is not null and "deleted_at" is null)`,
  `create index "connections_backoff_index" on "connections" ("backoff_until") where ("backoff_until" is not null)`,
  `create unique index "connections_slug_unique" on "connections" ("account_id", coalesce("profile_id", '00000000-0000-0000-0000-000000000000'::uuid), "slug") where ("deleted_at" is null)`,
  `create unique index "connections_platform_account_unique" on "connections" ("account_id", coalesce("profile_id", '00000000-0000-0000-0000-000000000000'::uuid), "platform_id", "platform_account_id") where ("deleted_at" is null)`,
  `alter table "connections" add constraint "connections_rewrite_mode_check" check ("rewrite_mode" in ('inherit', 'on', 'off'))`,
  `alter table "connections" add constraint "connections_reconnect_told_by_check" check ("reconnect_told_by" in ('send', 'renewal'))`,

  `create table "posts" (
    "id" uuid not null,
    "account_id" uuid not null,
    "connection_id" uuid not null,
    "profile_id" uuid null,
    "connection_slug" varchar(255) not null,
    "platform_id" varchar(255) not null,
    "mode" text not null,
    "status" text not null,
    "text" text not null,
    "original_text" text not null,
    "tags" text[] not null,
    "thread" text[] not null,
    "first_comment" text null,
    "rewrite" boolean null,
    "ai_rewrite_status" text null,
    "rewrite_warning" text null,
    "thread_count" int not null default 0,
    "has_first_comment" boolean not null default false,
    "generation" int not null default 0,
    "tries" int not null default 0,
    "repeats" int not null default 0,
    "first_due_at" timestamptz(3) null,
    "idempotency_record_id" uuid null,
    "url" text null,
    "platform_post_id" text null,
    "error_code" varchar(255) null,
    "error_message" text null,
    "scheduled_for" timestamptz(3) null,
    "queued" boolean not null default false,
    "slot_at" timestamptz(3) null,
    "held" boolean not null default false,
    "fee_cents" int not null default 0,
    "created_at" timestamptz(3) not null,
    "sent_at" timestamptz(3) null,
    "deleted_at" timestamptz(3) null,
    "next_read_at" timestamptz(3) null,
    "counted" boolean not null default false,
    "claim" uuid null,
    "claimed_until" timestamptz(3) null,
    primary key ("id")
  )`,
  `create index "posts_account_id_id_index" on "posts" ("account_id", "id")`,
  `create index "posts_account_id_status_id_index" on "posts" ("account_id", "status", "id")`,
  `create index "posts_account_id_profile_id_id_index" on "posts" ("account_id", "profile_id", "id")`,
  `create index "posts_account_id_platform_id_id_index" on "posts" ("account_id", "platform_id", "id")`,
  `create index "posts_connection_id_id_index" on "posts" ("connection_id", "id")`,
  `create index "posts_idempotency_index" on "posts" ("idempotency_record_id") where ("idempotency_record_id" is not null)`,
  `create index "posts_due_index" on "posts" ("scheduled_for", "id") where ("status" = 'scheduled' and not "held")`,
  `create index "posts_queue_index" on "posts" ("connection_id", "scheduled_for") where ("status" = 'scheduled' and "queued")`,
  `create index "posts_live_sent_index" on "posts" ("connection_id", "sent_at") where ("mode" = 'live' and "sent_at" is not null)`,
  `create index "posts_reached_index" on "posts" ("sent_at") where ("status" = 'sent' and "mode" = 'live' and "platform_id" <> 'sandbox')`,
  `create index "posts_fee_index" on "posts" ("sent_at") where ("fee_cents" > 0)`,
  `create index "posts_reads_index" on "posts" ("next_read_at", "id") where ("next_read_at" is not null)`,
  `create index "posts_uncounted_index" on "posts" ("account_id", "sent_at") where ("sent_at" is not null and not "counted")`,
  `create index "posts_removal_index" on "posts" ("claimed_until") where ("status" = 'sent' and "claim" is not null)`,
  `create index "posts_lease_index" on "posts" ("claimed_until") where ("status" = 'processing')`,
  `create unique index "posts_slot_unique" on "posts" ("connection_id", "slot_at") where ("status" = 'scheduled' and "slot_at" is not null)`,
  `alter table "posts" add constraint "posts_mode_check" check ("mode" in ('live', 'test'))`,
  `alter table "posts" add constraint "posts_status_check" check ("status" in ('sent', 'scheduled', 'processing', 'draft', 'failed', 'cancelled', 'deleted'))`,
  `alter table "posts" add constraint "posts_ai_rewrite_status_check" check ("ai_rewrite_status" in ('pending', 'rewritten', 'failed', 'skipped'))`,

  `create table "post_words" (
    "post_id" uuid not null,
    "words" tsvector not null,
    primary key ("post_id")
  )`,
  `create index "post_words_index" on "post_words" using gin ("words")`,

  `create table "post_tags" (
    "post_id" uuid not null,
    "tag" text not null,
    "account_id" uuid not null,
    primary key ("post_id", "tag")
  )`,
  `create index "post_tags_account_id_tag_post_id_index" on "post_tags" ("account_id", "tag", "post_id")`,

  `create table "post_media" (
    "id" uuid not null,
    "post_id" uuid not null,
    "media_id" uuid not null,
    "position" int not null,
    "alt_text" text null,
    primary key ("id")
  )`,
  `create index "post_media_media_id_index" on "post_media" ("media_id")`,
  `alter table "post_media" add constraint "post_media_post_id_position_unique" unique ("post_id", "position")`,

  `create table "metrics_reads" (
    "post_id" uuid not null,
    "number" int not null,
    "fetched_at" timestamptz(3) not null,
    "impressions" bigint null,
    "likes" bigint null,
    "reposts" bigint null,
    "replies" bigint null,
    "clicks" bigint null,
    primary key ("post_id", "number")
  )`,

  `create table "attempts" (
    "id" uuid not null,
    "post_id" uuid not null,
    "generation" int not null default 0,
    "step" text not null,
    "index" int not null,
    "state" text not null,
    "token" varchar(255) not null,
    "prepared" jsonb null,
    "started_at" timestamptz(3) not null,
    "settled_at" timestamptz(3) null,
    "platform_post_id" text null,
    "url" text null,
    "ref" jsonb null,
    "error_code" varchar(255) null,
    "error_message" text null,
    primary key ("id")
  )`,
  `create index "attempts_post_id_id_index" on "attempts" ("post_id", "id")`,
  `create index "attempts_open_index" on "attempts" ("post_id") where ("state" = 'sending')`,
  `alter table "attempts" add constraint "attempts_step_check" check ("step" in ('head', 'reply', 'first_comment', 'delete'))`,
  `alter table "attempts" add constraint "attempts_state_check" check ("state" in ('sending', 'accepted', 'rejected', 'unavailable', 'unknown'))`,

  `create table "api_keys" (
    "id" uuid not null,
    "account_id" uuid not null,
    "profile_id" uuid null,
    "name" varchar(80) not null,
    "type" text not null,
    "prefix" varchar(255) not null,
    "secret_hash" varchar(64) not null,
    "redirect_allowlist" text[] null,
    "scopes" text[] null,
    "created_by_key_id" uuid null,
    "grant_id" uuid null,
    "created_at" timestamptz(3) not null,
    "last_used_at" timestamptz(3) null,
    "revoked_at" timestamptz(3) null,
    primary key ("id")
  )`,
  `alter table "api_keys" add constraint "api_keys_secret_hash_unique" unique ("secret_hash")`,
  `create index "api_keys_account_id_id_index" on "api_keys" ("account_id", "id")`,
  `create index "api_keys_account_id_created_at_index" on "api_keys" ("account_id", "created_at")`,
  `create index "api_keys_profile_id_id_index" on "api_keys" ("profile_id", "id")`,
  `create index "api_keys_created_by_key_id_index" on "api_keys" ("created_by_key_id") where ("created_by_key_id" is not null)`,
  `create index "api_keys_grant_id_index" on "api_keys" ("grant_id") where ("grant_id" is not null)`,
  `alter table "api_keys" add constraint "api_keys_type_check" check ("type" in ('live', 'test'))`,

  `create table "connect_sessions" (
    "id" uuid not null,
    "account_id" uuid not null,
    "profile_id" uuid not null,
    "key_id" uuid null,
    "mode" text not null,
    "platform" varchar(255) null,
    "redirect_url" text not null,
    "headless" boolean not null,
    "status" text not null default 'pending',
    "error" text null,
    "connection_id" uuid null,
    "token_hash" varchar(64) not null,
    "used_at" timestamptz(3) null,
    "browser_hash" varchar(64) null,
    "flow" text null,
    "tries" int not null default 0,
    "refused" boolean not null default false,
    "expires_at" timestamptz(3) not null,
    "created_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `alter table "connect_sessions" add constraint "connect_sessions_token_hash_unique" unique ("token_hash")`,
  `create index "connect_sessions_open_index" on "connect_sessions" ("expires_at") where ("status" = 'pending')`,
  `alter table "connect_sessions" add constraint "connect_sessions_mode_check" check ("mode" in ('live', 'test'))`,
  `alter table "connect_sessions" add constraint "connect_sessions_status_check" check ("status" in ('pending', 'connected', 'failed', 'expired'))`,
  `alter table "connect_sessions" add constraint "connect_sessions_error_check" check ("error" in ('cancelled', 'connect_failed'))`,

  `create table "read_pauses" (
    "batch" varchar(255) not null,
    "until" timestamptz(3) not null,
    "failures" int not null default 0,
    primary key ("batch")
  )`,

  `create table "sandbox_posts" (
    "id" uuid not null,
    "account_id" uuid not null,
    "handle" varchar(255) not null,
    "text" text not null,
    "token" varchar(255) not null,
    "calls" int not null,
    "images" jsonb not null,
    "root_id" uuid null,
    "created_at" timestamptz(3) not null,
    "deleted_at" timestamptz(3) null,
    primary key ("id")
  )`,
  `create index "sandbox_posts_account_id_id_index" on "sandbox_posts" ("account_id", "id")`,
  `create index "sandbox_posts_root_id_index" on "sandbox_posts" ("root_id", "id") where ("root_id" is not null)`,
  `alter table "sandbox_posts" add constraint "sandbox_posts_account_id_token_unique" unique ("account_id", "token")`,

  `create table "sign_ins" (
    "id" uuid not null,
    "owner_id" uuid not null,
    "secret_hash" varchar(64) not null,
    "user_agent" varchar(200) not null,
    "created_at" timestamptz(3) not null,
    "last_seen_at" timestamptz(3) not null,
    "expires_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `alter table "sign_ins" add constraint "sign_ins_secret_hash_unique" unique ("secret_hash")`,
  `create index "sign_ins_owner_id_id_index" on "sign_ins" ("owner_id", "id")`,

  `create table "sign_in_waits" (
    "bucket" varchar(43) not null,
    "failures" int not null,
    "wait_until" timestamptz(3) null,
    "last_tried_at" timestamptz(3) not null,
    primary key ("bucket")
  )`,

  `create table "used_challenges" (
    "hash" varchar(64) not null,
    "expires_at" timestamptz(3) not null,
    primary key ("hash")
  )`,

  `create table "webhooks" (
    "id" uuid not null,
    "account_id" uuid not null,
    "profile_id" uuid null,
    "mode" text not null,
    "url" text not null,
    "events" text[] null,
    "description" text null,
    "secret" text null,
    "previous_secret" text null,
    "previous_secret_until" timestamptz(3) null,
    "revision" int not null default 0,
    "created_by_key_id" uuid null,
    "grant_id" uuid null,
    "created_at" timestamptz(3) not null,
    "deleted_at" timestamptz(3) null,
    "disabled_at" timestamptz(3) null,
    "disabled_reason" text null,
    "lease" uuid null,
    "lease_until" timestamptz(3) null,
    "failing" boolean not null default false,
    "failing_since" timestamptz(3) null,
    "last_failed_at" timestamptz(3) null,
    primary key ("id")
  )`,
  `create index "webhooks_account_id_id_index" on "webhooks" ("account_id", "id")`,
  `create index "webhooks_failing_index" on "webhooks" ("failing_since") where ("failing_since" is not null and "disabled_at" is null and "deleted_at" is null)`,
  `create index "webhooks_created_by_key_id_index" on "webhooks" ("created_by_key_id") where ("created_by_key_id" is not null)`,
  `create index "webhooks_grant_id_index" on "webhooks" ("grant_id") where ("grant_id" is not null)`,
  `create index "webhooks_lease_index" on "webhooks" ("lease_until") where ("lease_until" is not null)`,
  `alter table "webhooks" add constraint "webhooks_mode_check" check ("mode" in ('live', 'test'))`,
  `alter table "webhooks" add constraint "webhooks_disabled_reason_check" check ("disabled_reason" in ('requested', 'failing'))`,

  `create table "deliveries" (
    "id" uuid not null,
    "webhook_id" uuid not null,
    "source_id" uuid null,
    "event" text not null,
    "mode" text not null,
    "body" text not null,
    "status" text not null default 'pending',
    "attempts" int not null default 0,
    "created_at" timestamptz(3) not null,
    "next_attempt_at" timestamptz(3) not null,
    "delivered_at" timestamptz(3) null,
    "dead_at" timestamptz(3) null,
    "last_status_code" int null,
    "last_error" text null,
    "claim" uuid null,
    "paused" boolean not null default false,
    primary key ("id")
  )`,
  `create index "deliveries_webhook_id_id_index" on "deliveries" ("webhook_id", "id")`,
  `create index "deliveries_ended_index" on "deliveries" ("webhook_id", "id") where ("status" in ('failed', 'dead'))`,
  `create index "deliveries_open_index" on "deliveries" ("webhook_id", "next_attempt_at", "id") where ("status" in ('pending', 'processing') and not "paused")`,
  `create index "deliveries_due_index" on "deliveries" ("next_attempt_at") where ("status" = 'pending' and not "paused")`,
  `alter table "deliveries" add constraint "deliveries_source_id_webhook_id_unique" unique ("source_id", "webhook_id")`,
  `alter table "deliveries" add constraint "deliveries_event_check" check ("event" in ('post.sent', 'post.failed', 'post.deleted', 'post.metrics', 'post.rescheduled', 'connection.created', 'connection.removed', 'webhook.disabled'))`,
  `alter table "deliveries" add constraint "deliveries_mode_check" check ("mode" in ('live', 'test'))`,
  `alter table "deliveries" add constraint "deliveries_status_check" check ("status" in ('pending', 'processing', 'delivered', 'failed', 'dead'))`,

  `create table "worker_states" (
    "name" varchar(255) not null,
    "started_at" timestamptz(3) null,
    "last_run_at" timestamptz(3) null,
    "last_ok_at" timestamptz(3) null,
    "last_error" text null,
    primary key ("name")
  )`,
];

/** Added last, because tables refer to each other. */
const FOREIGN_KEYS = [
  `alter table "audit_entries" add constraint "audit_entries_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "charges" add constraint "charges_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "events" add constraint "events_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "idempotency_records" add constraint "idempotency_records_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "media" add constraint "media_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "owners" add constraint "owners_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "owner_links" add constraint "owner_links_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "owner_notices" add constraint "owner_notices_owner_id_foreign" foreign key ("owner_id") references "owners" ("id") on delete cascade`,
  `alter table "passkeys" add constraint "passkeys_owner_id_foreign" foreign key ("owner_id") references "owners" ("id")`,
  `alter table "profiles" add constraint "profiles_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "oauth_grants" add constraint "oauth_grants_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "oauth_grants" add constraint "oauth_grants_owner_id_foreign" foreign key ("owner_id") references "owners" ("id")`,
  `alter table "oauth_grants" add constraint "oauth_grants_profile_id_foreign" foreign key ("profile_id") references "profiles" ("id") on delete no action`,
  `alter table "connections" add constraint "connections_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "connections" add constraint "connections_profile_id_foreign" foreign key ("profile_id") references "profiles" ("id") on delete no action`,
  `alter table "posts" add constraint "posts_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "posts" add constraint "posts_connection_id_foreign" foreign key ("connection_id") references "connections" ("id")`,
  `alter table "post_words" add constraint "post_words_post_id_foreign" foreign key ("post_id") references "posts" ("id") on update cascade on delete cascade`,
  `alter table "post_tags" add constraint "post_tags_post_id_foreign" foreign key ("post_id") references "posts" ("id") on delete cascade`,
  `alter table "post_media" add constraint "post_media_post_id_foreign" foreign key ("post_id") references "posts" ("id") on delete cascade`,
  `alter table "post_media" add constraint "post_media_media_id_foreign" foreign key ("media_id") references "media" ("id")`,
  `alter table "metrics_reads" add constraint "metrics_reads_post_id_foreign" foreign key ("post_id") references "posts" ("id") on delete cascade`,
  `alter table "attempts" add constraint "attempts_post_id_foreign" foreign key ("post_id") references "posts" ("id")`,
  `alter table "api_keys" add constraint "api_keys_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "api_keys" add constraint "api_keys_profile_id_foreign" foreign key ("profile_id") references "profiles" ("id") on delete no action`,
  `alter table "connect_sessions" add constraint "connect_sessions_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "connect_sessions" add constraint "connect_sessions_profile_id_foreign" foreign key ("profile_id") references "profiles" ("id")`,
  `alter table "connect_sessions" add constraint "connect_sessions_key_id_foreign" foreign key ("key_id") references "api_keys" ("id") on delete no action`,
  `alter table "connect_sessions" add constraint "connect_sessions_connection_id_foreign" foreign key ("connection_id") references "connections" ("id") on delete no action`,
  `alter table "sign_ins" add constraint "sign_ins_owner_id_foreign" foreign key ("owner_id") references "owners" ("id")`,
  `alter table "webhooks" add constraint "webhooks_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
  `alter table "webhooks" add constraint "webhooks_profile_id_foreign" foreign key ("profile_id") references "profiles" ("id") on delete no action`,
  `alter table "deliveries" add constraint "deliveries_webhook_id_foreign" foreign key ("webhook_id") references "webhooks" ("id")`,
];

/**
 * The rate limit of all processes. Each accepted request has a number, so that one difference counts a window, however
 * many requests it has. Unlogged, because a crash may forget the last minute; housekeeping removes old rows.
 */
const RATE_LIMIT = [
  `create unlogged table "rate_limit_buckets" (
    "bucket" text not null primary key,
    "accepted" bigint not null,
    "last_at" timestamptz(3) not null
  ) with (fillfactor = 50)`,
  `create unlogged table "rate_limit_hits" (
    "bucket" text not null,
    "at" timestamptz(3) not null,
    "number" bigint not null,
    primary key ("bucket", "at", "number")
  )`,
  // A function, because each of its statements sees the result of the one before it: the row lock on the bucket makes
  // the count exact over all processes, in one round trip.
  `create function take_rate_limit(wanted text, present timestamptz, requests int, allowed int, window_seconds int)
      returns table (accepted int, used int, oldest timestamptz)
      language plpgsql as $$
      declare
        total bigint;
        present_here timestamptz;
        first_number bigint;
        first_at timestamptz;
        used_before int;
        taken int;
      begin
        insert into rate_limit_buckets as b (bucket, accepted, last_at) values (wanted, requests, present)
          on conflict (bucket) do update set accepted = b.accepted + requests, last_at = greatest(b.last_at, excluded.last_at)
          returning b.accepted - requests, b.last_at into total, present_here;
        select h.number, h.at into first_number, first_at from rate_limit_hits h
          where h.bucket = wanted and h.at > present_here - make_interval(secs => window_seconds)
          order by h.at, h.number limit 1;
        used_before := case when first_number is null then 0 else total - first_number end;
        taken := greatest(least(requests, allowed - used_before), 0);
        if taken < requests then
          update rate_limit_buckets b set accepted = total + taken where b.bucket = wanted;
        end if;
        if taken > 0 then
          insert into rate_limit_hits (bucket, at, number) values (wanted, present_here, total);
        end if;
        return query select taken, used_before, coalesce(first_at, present_here);
      end $$`,
];

export class Initial extends Migration {
  override up(): void {
    for (const statement of [...TABLES, ...FOREIGN_KEYS, ...RATE_LIMIT]) this.addSql(statement);
  }
}
