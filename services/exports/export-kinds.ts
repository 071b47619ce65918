/**
 * What can be exported (docs/contract/import-export.md#exports): for each kind who may read it, its columns, and its rows a
 * page at a time, in the order of their ids. The views are those of the lists, which contain no secret.
 */
import type { Scope } from '../access/scopes.ts';
import { auditPage } from './audit-page.ts';
import { connectionPage, profilePage, queuePage, webhookPage } from './entity-pages.ts';
import type { ExportTable } from './export-end.ts';
import type { ReadPage } from './export-page.ts';
import { mediaPage } from './media-page.ts';
import { metricsPage } from './metrics-page.ts';
import { postPage } from './post-page.ts';

export interface ExportKind {
  readonly scope: Scope;
  /** Whether the caller must reach the whole account in live mode. */
  readonly wholeAccount?: true;
  readonly table: ExportTable;
  /** Names of the fields, in the order of CSV. */
  readonly columns: readonly string[];
  readonly readPage: ReadPage;
}

export const EXPORT_KINDS = {
  posts: {
    scope: 'posts:read',
    table: 'posts',
    columns: [
      'id',
      'connectionId',
      'connectionSlug',
      'platformId',
      'profileId',
      'mode',
      'status',
      'text',
      'originalText',
      'thread',
      'firstComment',
      'tags',
      'media',
      'scheduledFor',
      'createdAt',
      'sentAt',
      'deletedAt',
      'url',
      'platformPostId',
      'threadCount',
      'hasFirstComment',
      'aiRewriteStatus',
      'tries',
      'approval',
      'createdBy',
      'error',
    ],
    readPage: postPage,
  },
  metrics: {
    scope: 'analytics:read',
    table: 'posts',
    columns: ['postId', 'fetchedAt', 'impressions', 'likes', 'reposts', 'replies', 'clicks'],
    readPage: metricsPage,
  },
  audit: {
    scope: 'account:read',
    wholeAccount: true,
    table: 'audit_entries',
    columns: ['id', 'at', 'actor', 'surface', 'operation', 'object', 'outcome', 'mode', 'profileId', 'requestId'],
    readPage: auditPage,
  },
  connections: {
    scope: 'connections:read',
    table: 'connections',
    columns: [
      'id',
      'slug',
      'platformId',
      'handle',
      'description',
      'profileId',
      'timezone',
      'queueSlots',
      'rewriteMode',
      'queuePaused',
      'nextSlotAt',
      'reconnectRequired',
      'credentialRenewsAt',
      'credentialEndsAt',
      'createdAt',
    ],
    readPage: connectionPage,
  },
  queues: {
    scope: 'connections:read',
    table: 'connections',
    columns: ['connectionId', 'connectionSlug', 'profileId', 'timezone', 'slots', 'paused'],
    readPage: queuePage,
  },
  webhooks: {
    scope: 'webhooks:read',
    table: 'webhooks',
    columns: ['id', 'url', 'events', 'description', 'enabled', 'disabledAt', 'disabledReason', 'createdAt'],
    readPage: webhookPage,
  },
  profiles: {
    scope: 'profiles:read',
    table: 'profiles',
    columns: ['id', 'name', 'externalId', 'createdAt', 'voice'],
    readPage: profilePage,
  },
  media: {
    scope: 'posts:read',
    table: 'media',
    columns: ['id', 'contentType', 'sizeBytes', 'width', 'height', 'altText', 'createdAt'],
    readPage: mediaPage,
  },
} as const satisfies Record<string, ExportKind>;

export type ExportKindName = keyof typeof EXPORT_KINDS;

export function isExportKind(name: string): name is ExportKindName {
  return Object.hasOwn(EXPORT_KINDS, name);
}
