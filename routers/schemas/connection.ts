/** A connection on the wire (docs/contract/connections.md#connections). */
import { z } from 'zod';
import { REWRITE_MODES } from '../../entities/connection.ts';
import type { ConnectionView } from '../../services/connections/connection-view.ts';
import { SLUG_MAX, SLUG_PATTERN } from '../../services/connections/slug.ts';
import { storableText, timestampOutput, uuidOutput } from './common.ts';

/** A slug as callers choose it (docs/contract/connections.md#slugs). */
export const Slug = z
  .string()
  .max(SLUG_MAX)
  .regex(SLUG_PATTERN, 'lowercase letters, digits and dashes, such as "bluesky-news"');

export const ConnectionDescription = storableText(z.string().trim().min(1).max(200));

export const QueueSlot = z
  .strictObject({
    weekday: z.int().min(0).max(6).describe('Day of the week, 0 (Sunday) to 6.'),
    time: z.string().describe('Wall time HH:MM, 24-hour, on the connection’s own clock.'),
  })
  .meta({ id: 'QueueSlot', description: 'A time of the week at which queued posts go out.' });

export const Connection = z
  .strictObject({
    id: uuidOutput('Id of the connection.'),
    slug: z.string().describe('What posts are addressed to.'),
    platformId: z.string().describe('Platform of the linked account.'),
    handle: z.string().describe('Name on the platform.'),
    description: z.string().describe('Label for people.'),
    timezone: z.string().describe('IANA zone in which queue slots are read; UTC until set.'),
    queueSlots: z.array(QueueSlot).describe('Queue slots in the order they were set; empty when there is no queue.'),
    profileId: uuidOutput('Profile the connection belongs to; null for one of the caller’s own.').nullable(),
    rewriteMode: z.enum(REWRITE_MODES).describe('Whether AI polish is asked for on posts that do not say.'),
    queuePaused: z.boolean().describe('Whether queued posts are kept back.'),
    nextSlotAt: timestampOutput('The slot that the next queued post would take; null when there is none.').nullable(),
    reconnectRequired: z
      .strictObject({
        since: timestampOutput('Since when.'),
        reason: z.string().describe('Why, in a sentence.'),
      })
      .nullable()
      .describe('Set when the login is dead, or does not cover what was sent: connect the account again. Else null.'),
    credentialRenewsAt: timestampOutput('When the service renews the login; null for never.').nullable(),
    credentialEndsAt: timestampOutput('When a login ends that it cannot renew; null if unknown.').nullable(),
    createdAt: timestampOutput('When it was connected.'),
  })
  .meta({
    id: 'Connection',
    description: 'A linked account or channel on a platform.',
  }) satisfies z.ZodType<ConnectionView>;
