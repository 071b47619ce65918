/** All entities: the ORM maps this list and the schema test compares it. */
import type { EntityName } from '@mikro-orm/core';
import { Account } from './account.ts';
import { ApiKey } from './api-key.ts';
import { Attempt } from './attempt.ts';
import { AuditEntry } from './audit-entry.ts';
import { Charge } from './charge.ts';
import { ConnectSession } from './connect-session.ts';
import { Connection } from './connection.ts';
import { DailyNumbers } from './daily-numbers.ts';
import { Delivery } from './delivery.ts';
import { Event } from './event.ts';
import { HealthSample } from './health-sample.ts';
import { IdempotencyRecord } from './idempotency-record.ts';
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
import { Post } from './post.ts';
import { PostMedia } from './post-media.ts';
import { PostTag } from './post-tag.ts';
import { PostWords } from './post-words.ts';
import { Profile } from './profile.ts';
import { ReadPause } from './read-pause.ts';
import { SandboxPost } from './sandbox-post.ts';
import { SignInWait } from './sign-in-wait.ts';
import { SignIn } from './sign-in.ts';
import { UsedChallenge } from './used-challenge.ts';
import { Webhook } from './webhook.ts';
import { WorkerState } from './worker-state.ts';

// Annotated, because the inferred type is too long for the declarations of the client.
export const entities: EntityName[] = [
  Account,
  Owner,
  OwnerLink,
  OwnerNotice,
  SignIn,
  SignInWait,
  Passkey,
  UsedChallenge,
  Profile,
  ApiKey,
  Connection,
  ConnectSession,
  PlatformAppRow,
  Post,
  Attempt,
  Media,
  PostMedia,
  Charge,
  PostTag,
  PostWords,
  MetricsRead,
  DailyNumbers,
  ReadPause,
  Event,
  Webhook,
  Delivery,
  WorkerState,
  HealthSample,
  IdempotencyRecord,
  SandboxPost,
  AuditEntry,
  OauthArtifact,
  OauthGrant,
  OauthKey,
];
