/** A profile on the wire (docs/contract/profiles-and-keys.md#profiles). */
import { z } from 'zod';
import { storableText, timestampOutput, uuidInput, uuidOutput } from './common.ts';

export const ProfileName = storableText(z.string().trim().min(1).max(100)).describe(
  'Name for people, 1 to 100 characters. No platform sees it.',
);

// Not trimmed: it is the caller's own id and is returned exactly as sent.
export const ExternalId = storableText(z.string().min(1).max(200));

export const ProfileIdInput = uuidInput('Id of the profile.');

export const Profile = z
  .strictObject({
    id: uuidOutput('Id of the profile; posts and connections name it in profileId.'),
    name: z.string().describe('Name for people.'),
    externalId: z.string().nullable().describe('The caller’s own id of it; null when it has none.'),
    createdAt: timestampOutput('When it was made.'),
  })
  .meta({ id: 'Profile', description: 'An end customer of a product built on the service.' });
