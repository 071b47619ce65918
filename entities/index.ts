/** Every entity, listed once: what the ORM maps and the schema test compares. */
import { Account } from './account.ts';
import { ApiKey } from './api-key.ts';
import { Attempt } from './attempt.ts';
import { Charge } from './charge.ts';
import { ConnectSession } from './connect-session.ts';
import { Connection } from './connection.ts';
import { Event } from './event.ts';
import { IdempotencyRecord } from './idempotency-record.ts';
import { Media } from './media.ts';
import { Owner } from './owner.ts';
import { PlatformAppRow } from './platform-app.ts';
import { Post } from './post.ts';
import { PostMedia } from './post-media.ts';
import { PostTag } from './post-tag.ts';
import { Profile } from './profile.ts';
import { SandboxPost } from './sandbox-post.ts';
import { WorkerState } from './worker-state.ts';

export const entities = [
  Account,
  Owner,
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
  Event,
  WorkerState,
  IdempotencyRecord,
  SandboxPost,
];
