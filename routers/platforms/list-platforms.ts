/** GET /platforms: what each platform of this install can do (docs/contract/connections.md#linking-with-credentials). */
import { z } from 'zod';
import { listPlatforms as list } from '../../services/platforms/list-platforms.ts';
import { keyedProcedure } from '../procedures.ts';

const Platform = z
  .strictObject({
    id: z.string().describe('Id, as connections carry it in platformId.'),
    name: z.string().describe('Name people know it by.'),
    kind: z.enum(['broadcast', 'messaging']).describe('Public place, or channel to chosen people.'),
    text: z
      .strictObject({
        maxLength: z.int().describe('Largest length of a text, in `unit`. A connection’s own server may set another.'),
        unit: z
          .string()
          .describe(
            'What is counted: graphemes, characters (code points), utf16 units, weighted: as X counts, emoji_bytes: characters, but an emoji as its bytes, or markdown: characters below the title, with escapes.',
          ),
      })
      .describe('How long a text may be.'),
    images: z
      .strictObject({
        min: z.int().optional().describe('Images a post must carry; absent where it needs none.'),
        max: z.int().describe('Images a post may carry.'),
        maxBytes: z.int().describe('Bytes of one image.'),
        types: z.array(z.string()).describe('Media types it takes as they are.'),
        altTextMax: z.int().nullable().describe('Characters of alt text; null when it has none.'),
      })
      .nullable()
      .describe('Which images it takes; null for none.'),
    thread: z.boolean().describe('Whether a post may carry a thread of replies.'),
    firstComment: z.boolean().describe('Whether a post may carry a first comment.'),
    delete: z.boolean().describe('Whether a sent post can be taken down.'),
    permalink: z.boolean().describe('Whether a sent post has a public address.'),
    metrics: z.array(z.string()).describe('Engagement numbers it reports.'),
    connect: z
      .array(z.string())
      .describe(
        'Ways to connect an account on this install: credentials (POST /connections), page (the hosted connect page).',
      ),
    apiVersion: z.string().nullable().describe('Version of its API that is spoken; null when it has none.'),
    missingSettings: z.array(z.string()).describe('Settings that the operator must still set.'),
    registerAppAt: z.string().nullable().describe('Where the operator gets them.'),
  })
  .meta({ id: 'Platform', description: 'A platform and what it can do.' });

const Output = z.strictObject({ platforms: z.array(Platform).describe('The platforms of this install.') });

export const listPlatforms = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/platforms',
      tags: ['Platforms'],
      summary: 'List platforms',
      description:
        'Lists the platforms of this install with limits and abilities: text length, images, threads, delete, metrics.',
    },
    access: 'key',
    scope: 'connections:read',
    errors: [],
    tool: {
      name: 'get_platform_rules',
      toolset: 'posting',
      title: 'Get platform rules',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(z.strictObject({}))
  .output(Output)
  .query(({ ctx }) => ({ platforms: list(ctx.services) }));
