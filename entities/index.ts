/** All tables with their entities: the ORM maps them, and the types of hand-written SQL are computed from them. */
import type { EntityName } from '@mikro-orm/core';
import { Account } from './account.ts';
import { ApiKey } from './api-key.ts';
import { ApprovalAllowance } from './approval-allowance.ts';
import { Approval } from './approval.ts';
import { Attempt } from './attempt.ts';
import { AuditEntry } from './audit-entry.ts';
import { Calendar } from './calendar.ts';
import { Charge } from './charge.ts';
import { ConnectSession } from './connect-session.ts';
import { Connection } from './connection.ts';
import { DailyMetrics } from './daily-metrics.ts';
import { DatabaseMark } from './database-mark.ts';
import { Delivery } from './delivery.ts';
import { Event } from './event.ts';
import { Feed } from './feed.ts';
import { FeedItem } from './feed-item.ts';
import { HealthSample } from './health-sample.ts';
import { IdempotencyRecord } from './idempotency-record.ts';
import { Import } from './import.ts';
import { ImportRow } from './import-row.ts';
import { Media } from './media.ts';
import { MetricsRead } from './metrics-read.ts';
import { OauthArtifact } from './oauth-artifact.ts';
import { OauthGrant } from './oauth-grant.ts';
import { OauthKey } from './oauth-key.ts';
import { OwnerNotice } from './owner-notice.ts';
import { OwnerLink } from './owner-link.ts';
import { Owner } from './owner.ts';
import { Passkey } from './passkey.ts';
import { PlatformAppRow } from './platform-app.ts';
import { Policy } from './policy.ts';
import { Post } from './post.ts';
import { PostMedia } from './post-media.ts';
import { PostTag } from './post-tag.ts';
import { PostWords } from './post-words.ts';
import { Profile } from './profile.ts';
import { ReadPause } from './read-pause.ts';
import { SandboxPost } from './sandbox-post.ts';
import { SignInWait } from './sign-in-wait.ts';
import { SignIn } from './sign-in.ts';
import { Stop } from './stop.ts';
import { UsedChallenge } from './used-challenge.ts';
import { Webhook } from './webhook.ts';
import { WorkerState } from './worker-state.ts';

/** The type is declared, because the inferred one is too long for the declarations of the client. */
export interface TableEntities {
  accounts: typeof Account;
  owners: typeof Owner;
  owner_links: typeof OwnerLink;
  owner_notices: typeof OwnerNotice;
  sign_ins: typeof SignIn;
  sign_in_waits: typeof SignInWait;
  passkeys: typeof Passkey;
  used_challenges: typeof UsedChallenge;
  profiles: typeof Profile;
  api_keys: typeof ApiKey;
  connections: typeof Connection;
  connect_sessions: typeof ConnectSession;
  platform_apps: typeof PlatformAppRow;
  posts: typeof Post;
  approvals: typeof Approval;
  approval_allowances: typeof ApprovalAllowance;
  attempts: typeof Attempt;
  media: typeof Media;
  post_media: typeof PostMedia;
  charges: typeof Charge;
  post_tags: typeof PostTag;
  post_words: typeof PostWords;
  metrics_reads: typeof MetricsRead;
  daily_numbers: typeof DailyMetrics;
  read_pauses: typeof ReadPause;
  events: typeof Event;
  webhooks: typeof Webhook;
  deliveries: typeof Delivery;
  calendars: typeof Calendar;
  imports: typeof Import;
  import_rows: typeof ImportRow;
  feeds: typeof Feed;
  feed_items: typeof FeedItem;
  stops: typeof Stop;
  policies: typeof Policy;
  worker_states: typeof WorkerState;
  database_marks: typeof DatabaseMark;
  health_samples: typeof HealthSample;
  idempotency_records: typeof IdempotencyRecord;
  sandbox_posts: typeof SandboxPost;
  audit_entries: typeof AuditEntry;
  oauth_artifacts: typeof OauthArtifact;
  oauth_grants: typeof OauthGrant;
  oauth_keys: typeof OauthKey;
}

/** Each entity by the name of its table. */
export const tableEntities: TableEntities = {
  accounts: Account,
  owners: Owner,
  owner_links: OwnerLink,
  owner_notices: OwnerNotice,
  sign_ins: SignIn,
  sign_in_waits: SignInWait,
  passkeys: Passkey,
  used_challenges: UsedChallenge,
  profiles: Profile,
  api_keys: ApiKey,
  connections: Connection,
  connect_sessions: ConnectSession,
  platform_apps: PlatformAppRow,
  posts: Post,
  approvals: Approval,
  approval_allowances: ApprovalAllowance,
  attempts: Attempt,
  media: Media,
  post_media: PostMedia,
  charges: Charge,
  post_tags: PostTag,
  post_words: PostWords,
  metrics_reads: MetricsRead,
  daily_numbers: DailyMetrics,
  read_pauses: ReadPause,
  events: Event,
  webhooks: Webhook,
  deliveries: Delivery,
  calendars: Calendar,
  imports: Import,
  import_rows: ImportRow,
  feeds: Feed,
  feed_items: FeedItem,
  stops: Stop,
  policies: Policy,
  worker_states: WorkerState,
  database_marks: DatabaseMark,
  health_samples: HealthSample,
  idempotency_records: IdempotencyRecord,
  sandbox_posts: SandboxPost,
  audit_entries: AuditEntry,
  oauth_artifacts: OauthArtifact,
  oauth_grants: OauthGrant,
  oauth_keys: OauthKey,
};

export const entities: EntityName[] = Object.values(tableEntities);
