/** A profile on the wire (docs/contract/profiles-and-keys.md#profiles). */
import { z } from 'zod';
import { VOICE_LIMITS } from '../../services/profiles/profile-voice.ts';
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

const voiceList = (name: keyof typeof VOICE_LIMITS, item: string) => {
  const { items, characters } = VOICE_LIMITS[name];
  // A pattern on a text of megabytes can exceed the engine's stack: the length ends the check.
  const text = z.string().trim().min(1).max(characters, { abort: true });
  // The console edits these lists one a line.
  const isOneLine = name !== 'examples';
  return z
    .array(storableText(isOneLine ? text.regex(/^.+$/u, 'one line of text') : text))
    .max(items)
    .default([])
    .describe(`${item}; at most ${items}, each 1 to ${characters} characters${isOneLine ? ' in one line' : ''}.`);
};

export const VoiceInput = {
  rules: voiceList('rules', 'Rules of style'),
  examples: voiceList('examples', 'Texts that sound right'),
  bannedPhrases: voiceList('bannedPhrases', 'Words and phrases that a rewrite must not contain'),
};

export const ProfileVoice = z
  .strictObject({
    rules: z.array(z.string()).describe('Rules of style.'),
    examples: z.array(z.string()).describe('Texts that sound right.'),
    bannedPhrases: z.array(z.string()).describe('Words and phrases that a rewrite must not contain.'),
  })
  .meta({ id: 'ProfileVoice', description: 'How the texts of a profile are worded, for AI polish.' });
