/**
 * An API key on the wire (docs/contract/profiles-and-keys.md#keys), and the schemas for creating, listing and revoking
 * keys.
 */
import { z } from 'zod';
import { parseOrigin } from '../../services/keys/origin.ts';
import { KEY_NAME_MAX } from '../../services/keys/create-account-key.ts';
import { APPROVAL_RULES } from '../../entities/approval-actors.ts';
import { SCOPES, type Scope } from '../../services/access/scopes.ts';
import {
  cursorInput,
  instantInput,
  nextCursorOutput,
  pagination,
  storableText,
  timestampOutput,
  uuidInput,
  uuidOutput,
} from './common.ts';

/** Most origins of a key (docs/contract/connections.md#redirects), and the longest one that is read at all. */
const ORIGINS_MAX = 20;
const ORIGIN_MAX = 300;

const ORIGIN = 'a bare origin such as https://app.example.com, or http on localhost';

export const KeyName = storableText(z.string().trim().min(1).max(KEY_NAME_MAX)).describe(
  'Name for people, 1 to 80 characters.',
);

export const KeyIdInput = uuidInput('Id of the key.');

export const RedirectAllowlist = z
  .array(
    z
      .string()
      .max(ORIGIN_MAX)
      .refine((text) => parseOrigin(text) !== null, ORIGIN),
  )
  .max(ORIGINS_MAX)
  .transform((origins) => [...new Set(origins.map((text) => parseOrigin(text) ?? text))])
  .meta({
    type: 'array',
    items: { type: 'string', maxLength: ORIGIN_MAX },
    maxItems: ORIGINS_MAX,
    description: `Bare origins, at most ${ORIGINS_MAX}, that connect sessions of the key may return to. Empty or left out, any public https address.`,
  });

/** Never empty; the cast gives zod the tuple type it requires. */
const SCOPE_NAMES = Object.keys(SCOPES) as [Scope, ...Scope[]];

export const KeyScopes = z
  .array(z.enum(SCOPE_NAMES))
  .min(1)
  .max(SCOPE_NAMES.length)
  .describe('What the key may do. Left out, what the key or agent that mints it may do; never more.');

export const KeyExpiresAt = instantInput('Instant in the future from which the key is refused. Left out, never.');

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
    scopes: z
      .array(z.enum(SCOPE_NAMES))
      .nullable()
      .describe('The scopes it is limited to; null when it is limited to none.'),
    approval: z.enum(APPROVAL_RULES).describe('required when what it wants to send waits for an owner; else none.'),
    policyId: uuidOutput(
      'The policy that its posts follow, its own or that of what made it; null for none.',
    ).nullable(),
    createdBy: z
      .strictObject({
        kind: z.enum(['key', 'grant']).describe('Whether a key minted it, or an agent under an OAuth grant.'),
        id: uuidOutput('Id of that key or grant.'),
      })
      .nullable()
      .describe('What it was made with; null when an owner or the operator made it.'),
    createdAt: timestampOutput('When it was made.'),
    lastUsedAt: timestampOutput('When it was last used, to the minute; null when it never was.').nullable(),
    expiresAt: timestampOutput('From when it is refused; null for never.').nullable(),
    revokedAt: timestampOutput('When it was revoked; null while it works.').nullable(),
  })
  .meta({ id: 'Key', description: 'An API key, without its secret.' });

/** Query fields for a list of keys. */
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
