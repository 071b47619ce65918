/** An API key on the wire (spec: API key), and what mints, lists and revokes one. */
import { z } from 'zod';
import { bareOrigin } from '../../services/keys/bare-origin.ts';
import {
  cursorInput,
  nextCursorOutput,
  pagination,
  storableText,
  timestampOutput,
  uuidInput,
  uuidOutput,
} from './common.ts';

/** Most origins of a key (spec: Limits), and the longest that is read at all. */
const ORIGINS_MAX = 20;
const ORIGIN_MAX = 300;

const ORIGIN = 'a bare origin such as https://app.example.com, or http on localhost';

export const KeyName = storableText(z.string().trim().min(1).max(80)).describe('Name for people, 1 to 80 characters.');

export const KeyIdInput = uuidInput('Id of the key.');

export const RedirectAllowlist = z
  .array(
    z
      .string()
      .max(ORIGIN_MAX)
      .refine((text) => bareOrigin(text) !== null, ORIGIN),
  )
  .max(ORIGINS_MAX)
  .transform((origins) => [...new Set(origins.map((text) => bareOrigin(text) ?? text))])
  .meta({
    type: 'array',
    items: { type: 'string' },
    maxItems: ORIGINS_MAX,
    description: `Bare origins, at most ${ORIGINS_MAX}, that connect sessions of the key may return to. Empty or left out, any public https address.`,
  });

export const Key = z
  .strictObject({
    id: uuidOutput('Id of the key.'),
    name: z.string().describe('Name for people.'),
    type: z.enum(['live', 'test']).describe('A test key reaches sandbox connections only.'),
    prefix: z.string().describe('First characters of the secret.'),
    profileId: uuidOutput('Profile the key reaches; null for the whole account.').nullable(),
    redirectAllowlist: z
      .array(z.string())
      .nullable()
      .describe('Bare origins that its connect sessions may return to; null for any public https address.'),
    createdAt: timestampOutput('When it was made.'),
    lastUsedAt: timestampOutput('When it was last used, to the minute; null when it never was.').nullable(),
    revokedAt: timestampOutput('When it was revoked; null while it works.').nullable(),
  })
  .meta({ id: 'Key', description: 'An API key, without its secret.' });

/** What a list of keys may ask for. */
export const keyListFields = {
  includeRevoked: z.boolean().default(false).describe('Whether to give revoked keys too. Default false.'),
  ...pagination,
  cursor: cursorInput(),
};

/** A list of keys. */
export const KeyList = z.strictObject({
  keys: z.array(Key).describe('The keys, oldest first.'),
  limit: z.int().describe('The limit that was used.'),
  offset: z.int().describe('The offset that was used.'),
  nextCursor: nextCursorOutput(),
});

/** The answer to a revocation. */
export const RevokedKey = z.strictObject({ id: uuidOutput('Id of the key.'), revoked: z.literal(true) });
