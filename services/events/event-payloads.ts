/**
 * The payload of each event, declared once: it types the code that emits the event, the OpenAPI document shows it, and
 * a test checks delivered bodies against it.
 */
import { z } from 'zod';
import { APPROVAL_ACTORS } from '../../entities/approval-actors.ts';
import { APPROVAL_STATES } from '../../entities/approval.ts';
import { type EventName, EVENT_NAMES } from '../../entities/event.ts';
import { RESCHEDULE_REASONS } from '../../entities/post.ts';

const id = (description: string) => z.string().meta({ format: 'uuid', description });
const instant = (description: string) => z.string().meta({ format: 'date-time', description });
const count = (description: string) => z.int().min(0).describe(description);
const connectionSlug = z.string().describe('Slug of the connection it goes to.');
const platformId = z.string().describe('Platform of the connection.');
const profileId = id('Profile that it belongs to; null for the account’s own.').nullable();
const permalink = z.string().nullable().describe('Permalink; null when there is none.');

const SettledPost = z.strictObject({
  id: id('Id of the post.'),
  connectionSlug,
  text: z.string().describe('What went out, or was to go out.'),
  status: z.enum(['sent', 'failed']).describe('How the send ended.'),
  url: permalink,
  scheduledFor: instant('When it was to go out; null for an immediate post.').nullable(),
  createdAt: instant('When it was accepted.'),
  mediaCount: count('Number of its images.'),
  threadCount: count('Replies that went out.'),
  hasFirstComment: z.boolean().describe('Whether a first comment went out.'),
  error: z
    .strictObject({
      code: z.string().describe('One of the error codes listed at /docs/errors.'),
      message: z.string().describe('What happened, in a sentence.'),
    })
    .nullable()
    .describe('Why it failed; null otherwise.'),
  tags: z.array(z.string()).describe('Tags of the post.'),
  profileId,
});

const DeletedPost = z.strictObject({
  id: id('Id of the post.'),
  connectionSlug,
  platformId,
  deletedAt: instant('When it was taken down.'),
  profileId,
});

const RescheduledPost = z.strictObject({
  id: id('Id of the post.'),
  connectionSlug,
  scheduledFor: instant('When it goes out now.'),
  reason: z.enum(RESCHEDULE_REASONS).describe('Why its time changed.'),
  profileId,
});

const MeasuredPost = z.strictObject({
  id: id('Id of the post.'),
  connectionSlug,
  platformId,
  url: permalink,
  profileId,
});

const Metrics = z
  .strictObject({
    fetchedAt: instant('When the numbers were read.'),
    impressions: count('Times it was shown.').nullable(),
    likes: count('Likes.').nullable(),
    reposts: count('Reposts.').nullable(),
    replies: count('Replies or comments.').nullable(),
    clicks: count('Clicks.').nullable(),
  })
  .describe('Running totals. Null is a number that the platform does not report, which is not zero.');

const EventConnection = z.strictObject({
  id: id('Id of the connection.'),
  profileId,
  connectSessionId: id('Connect session that it happened in; null for none.').nullable(),
  platformId,
  slug: z.string().describe('What posts are addressed to.'),
});

const DisabledWebhook = z.strictObject({
  id: id('Id of the webhook.'),
  description: z.string().nullable().describe('Its label; null for none.'),
  disabledAt: instant('Since when it is disabled.'),
  disabledReason: z.literal('failing').describe('Every attempt failed for three days.'),
  profileId,
});

const DisabledFeed = z.strictObject({
  id: id('Id of the feed.'),
  host: z.string().describe('Host of its address; the rest can contain a secret.'),
  disabledAt: instant('Since when it is disabled.'),
  disabledReason: z
    .enum(['failing', 'gone', 'ended'])
    .describe('failing for three days; gone (HTTP 410); ended with its key, agent or role.'),
  error: z.string().describe('Why the latest poll failed, in a sentence.'),
  profileId,
});

const DecidedPost = z.strictObject({
  id: id('Id of the post.'),
  connectionSlug,
  text: z.string().describe('What is to go out.'),
  profileId,
});

const identity = (description: string) =>
  z
    .strictObject({
      kind: z.enum(APPROVAL_ACTORS).describe('A key, the OAuth grant of an agent, or a person.'),
      id: id('Id of it.'),
      name: z.string().describe('Name of the key or agent, or email address of the person.'),
    })
    .describe(description);

/** A request for approval, on the wire and in events. */
export const ApprovalFields = z.strictObject({
  state: z
    .enum(APPROVAL_STATES)
    .describe(
      'pending, approved, rejected, expired, or void: the draft was edited or published, or what asked has ended.',
    ),
  plan: z
    .strictObject({
      scheduledFor: instant('When it is to go out; null for at once, or for a slot.').nullable(),
      queue: z.boolean().describe('Whether it takes the next free slot of its connection.'),
    })
    .describe('What happens when it is approved. A time that has passed means at once.'),
  requestedAt: instant('When approval was asked for.'),
  requestedBy: identity('Who asked.'),
  expiresAt: instant('From when it can no longer be approved.'),
  decidedAt: instant('When it was decided; null while it is pending.').nullable(),
  decidedBy: identity('Who decided.').nullable().describe('Who decided; null when no person did.'),
  reason: z.string().nullable().describe('What the person who decided wrote, or why it is void; null for nothing.'),
});

const approvalPayload = z.strictObject({ post: DecidedPost, approval: ApprovalFields });

interface EventDeclaration {
  /** When the event is emitted, in one sentence. */
  readonly summary: string;
  readonly payload: z.ZodObject;
}

/** Every event: when it is emitted, and the fields of its body besides eventId, event and timestamp. */
export const EVENTS = {
  'post.sent': { summary: 'A post has reached its platform.', payload: z.strictObject({ post: SettledPost }) },
  'post.failed': {
    summary: 'A post was refused, stopped by a plan, or failed on its way.',
    payload: z.strictObject({ post: SettledPost }),
  },
  'post.deleted': { summary: 'A sent post was taken down.', payload: z.strictObject({ post: DeletedPost }) },
  'post.metrics': {
    summary: 'The numbers of a post were read, for the first time on a UTC day.',
    payload: z.strictObject({ post: MeasuredPost, metrics: Metrics }),
  },
  'post.rescheduled': {
    summary: 'The time of a waiting post changed.',
    payload: z.strictObject({ post: RescheduledPost }),
  },
  'connection.created': {
    summary: 'An account was connected, or moved into a profile.',
    payload: z.strictObject({ connection: EventConnection }),
  },
  'connection.removed': {
    summary: 'An account was disconnected, or moved out of a profile.',
    payload: z.strictObject({ connection: EventConnection }),
  },
  'webhook.disabled': {
    summary: 'A webhook was disabled, because every attempt to deliver to it failed for three days.',
    payload: z.strictObject({ webhook: DisabledWebhook }),
  },
  'feed.disabled': {
    summary:
      'A feed was disabled, because it failed for three days, is gone, or the key, agent or role behind it has ended.',
    payload: z.strictObject({ feed: DisabledFeed }),
  },
  'post.approval_requested': { summary: 'A post waits for the approval of a person.', payload: approvalPayload },
  'post.approved': { summary: 'A person approved a post, and it is sent as planned.', payload: approvalPayload },
  'post.rejected': { summary: 'A person rejected a post; it stays a draft.', payload: approvalPayload },
  'post.approval_expired': {
    summary: 'A post was not decided on in time; it stays a draft.',
    payload: approvalPayload,
  },
} as const satisfies Record<EventName, EventDeclaration>;

/** The payload of an event of this name. */
export type EventPayload<Name extends EventName> = z.infer<(typeof EVENTS)[Name]['payload']>;

/** The complete body of a delivery of the event. */
export function eventBodySchema(name: EventName): z.ZodObject {
  return EVENTS[name].payload.extend({
    eventId: id('Id of the event for this receiver; it stays through attempts and replays.'),
    event: z.literal(name).describe('Name of the event.'),
    timestamp: instant('When it was queued.'),
    ...(name === TESTED
      ? { test: z.literal(true).optional().describe('Only on the delivery that a test makes.') }
      : {}),
  });
}

/** The event that POST /webhooks/{webhookId}/test delivers. */
const TESTED: EventName = 'post.sent';

/** The bodies of all events by name. */
export const EVENT_BODIES = Object.fromEntries(EVENT_NAMES.map((name) => [name, eventBodySchema(name)])) as Readonly<
  Record<EventName, z.ZodObject>
>;
