/** Policies on the wire (docs/contract/policies.md). */
import { z } from 'zod';
import { APPROVAL_ACTORS } from '../../entities/approval-actors.ts';
import { POLICY_KINDS, type PolicyRules } from '../../entities/policy.ts';
import { PLATFORM_IDS } from '../../services/platforms/platform-ids.ts';
import { POLICY_EFFECTS, POLICY_RULES } from '../../services/policies/policy-violations.ts';
import { storableText, timestampOutput, timeZoneInput, uuidInput, uuidOutput } from './common.ts';

const POSTS_MAX = 1_000;
const CENTS_MAX = 100_000_000;
const LIST_MAX = 100;
const WORD_MAX = 60;

const WallTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time such as 22:00');

/** A name as URLs have it, without a scheme, a port or a path. */
const Host = z
  .string()
  // A pattern on a text of megabytes can exceed the engine's stack: the length ends the check.
  .max(253, { abort: true })
  .regex(/^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/i, 'a host such as example.com');

const maximum = (most: number, text: string) => z.int().min(1).max(most).nullable().describe(text);

const FIELDS = {
  connectionIds: z
    .array(uuidInput('Id of a connection.'))
    .min(1)
    .max(LIST_MAX)
    .nullable()
    .describe('The only connections that it may post to. Left out, all that it reaches.'),
  platforms: z
    .array(z.enum(PLATFORM_IDS))
    .min(1)
    .max(LIST_MAX)
    .nullable()
    .describe('The only platforms that it may post to. Left out, all.'),
  postsPerHour: maximum(POSTS_MAX, 'Most posts in any 60 minutes, 1 to 1,000. Left out, no limit.'),
  postsPerDay: maximum(POSTS_MAX, 'Most posts in any 24 hours, 1 to 1,000. Left out, no limit.'),
  quietHours: z
    .strictObject({
      from: WallTime.describe('From when nothing goes out, such as 22:00.'),
      to: WallTime.describe('Until when, such as 07:00; before from, on the next day.'),
      timezone: timeZoneInput().describe('IANA name of the time zone, such as Europe/Lisbon.'),
    })
    .refine(({ from, to }) => from !== to, { path: ['to'], message: 'a time other than from' })
    .nullable()
    .describe('Hours of each day in which nothing goes out. Left out, none.'),
  spendCentsPerMonth: z
    .int()
    .min(0)
    .max(CENTS_MAX)
    .nullable()
    .describe('Most fees of its posts in a month (UTC), in cents. Left out, no limit.'),
  approvalAlways: z.boolean().describe('Whether every post needs a person. Default false.'),
  approvalWords: z
    .array(storableText(z.string().trim().min(1).max(WORD_MAX)))
    .max(LIST_MAX)
    .describe('Words that need a person, at most 100 of up to 60 characters. Upper and lower case are equal.'),
  approvalLinks: z.boolean().describe('Whether links need a person. Default false.'),
  linkHosts: z
    .array(Host)
    .max(LIST_MAX)
    .describe('Hosts, at most 100, whose links need no person, with their subdomains.'),
};

/** The fields of a request; what is left out stops nothing. */
export const rulesInput = {
  connectionIds: FIELDS.connectionIds.default(null),
  platforms: FIELDS.platforms.default(null),
  postsPerHour: FIELDS.postsPerHour.default(null),
  postsPerDay: FIELDS.postsPerDay.default(null),
  quietHours: FIELDS.quietHours.default(null),
  spendCentsPerMonth: FIELDS.spendCentsPerMonth.default(null),
  approvalAlways: FIELDS.approvalAlways.default(false),
  approvalWords: FIELDS.approvalWords.default([]),
  approvalLinks: FIELDS.approvalLinks.default(false),
  linkHosts: FIELDS.linkHosts.default([]),
} satisfies Record<keyof PolicyRules, z.ZodType>;

export const PolicyIdInput = uuidInput('Id of the key, or of the OAuth grant of an agent.');

export const Rules = z
  .strictObject({
    connectionIds: z.array(z.string()).nullable().describe('The only connections that it may post to; null for all.'),
    platforms: z.array(z.string()).nullable().describe('The only platforms that it may post to; null for all.'),
    postsPerHour: z.int().nullable().describe('Most posts in any 60 minutes; null for no limit.'),
    postsPerDay: z.int().nullable().describe('Most posts in any 24 hours; null for no limit.'),
    quietHours: z
      .strictObject({
        from: z.string().describe('From when nothing goes out.'),
        to: z.string().describe('Until when.'),
        timezone: z.string().describe('IANA name of the time zone.'),
      })
      .nullable()
      .describe('Hours of each day in which nothing goes out; null for none.'),
    spendCentsPerMonth: z.int().nullable().describe('Most fees of a month (UTC), in cents; null for no limit.'),
    approvalAlways: z.boolean().describe('Whether every post needs a person.'),
    approvalWords: z.array(z.string()).describe('Words that need a person.'),
    approvalLinks: z.boolean().describe('Whether links need a person.'),
    linkHosts: z.array(z.string()).describe('Hosts whose links need no person.'),
  })
  .meta({ id: 'PolicyRules', description: 'The rules of a policy.' });

export const Policy = z
  .strictObject({
    policyId: uuidOutput('Id of the key, or of the OAuth grant of an agent.'),
    kind: z.enum(POLICY_KINDS).describe('Whether it is the policy of an API key or of the grant of an agent.'),
    name: z.string().nullable().describe('Name of the key or agent; null when it is gone.'),
    rules: Rules,
    disconnected: z
      .array(
        z.strictObject({
          id: uuidOutput('Id of the connection.'),
          slug: z.string().describe('Slug that it had.'),
        }),
      )
      .describe('Connections of connectionIds that were disconnected since: nothing can be posted to them.'),
    postsLastHour: z.int().describe('Posts that went out under it in the last 60 minutes.'),
    postsLastDay: z.int().describe('Posts that went out under it in the last 24 hours.'),
    changedAt: timestampOutput('When it was last changed.'),
    changedBy: z.strictObject({
      kind: z.enum(APPROVAL_ACTORS).describe('A key or a person.'),
      id: uuidOutput('Id of it.'),
      name: z.string().describe('Name of the key, or email address of the person.'),
    }),
  })
  .meta({ id: 'Policy', description: 'What a key or an agent may send without a person.' });

export const BrokenRule = z
  .strictObject({
    rule: z.enum(POLICY_RULES).describe('Name of the rule.'),
    effect: z.enum(POLICY_EFFECTS).describe('Whether the post is refused, or waits for a person.'),
    message: z.string().describe('What the rule says about the post.'),
    retryAt: timestampOutput('From when the rule allows it; null when time does not help.').nullable(),
  })
  .meta({ id: 'BrokenRule', description: 'A rule of a policy that stops a post.' });
