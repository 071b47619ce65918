/** Finds a bot message whose response was lost. Webhooks cannot read their messages. */
import { z } from 'zod';
import { Inconclusive, type PlatformIo, type SendPart } from '../contract.ts';
import { earliestOf } from '../match-post.ts';
import { callDiscord } from './api.ts';
import { type BotCredential, placeOf, read } from './credential.ts';

/** Number of messages to request, newest first. */
const PAGE = 100;

const Channel = z.object({ last_message_id: z.string().nullish() });

const Listed = z.object({
  id: z.string(),
  content: z.string(),
  timestamp: z.string(),
  author: z.object({ id: z.string() }),
  /** Not present in every list. */
  nonce: z.union([z.string(), z.number()]).optional(),
});
type Listed = z.infer<typeof Listed>;

/**
 * Finds the message of a part, or null when no message of the channel matches.
 *
 * @throws PlatformFailure when Discord cannot be reached, shows no messages of a channel that has some, or the channel has more new
 * messages than one request lists
 */
export async function findMessage(io: PlatformIo, credential: BotCredential, part: SendPart): Promise<Listed | null> {
  const { path, ...as } = placeOf(credential, io);
  const answer = await callDiscord(io, `${path}/messages`, { ...as, query: { limit: String(PAGE) } });
  const messages = read(z.array(Listed), answer);
  if (messages.length === 0) await requireEmpty(io, credential);
  const earliest = earliestOf(part, answer, io.now());
  const fresh = messages.filter(({ timestamp }) => Date.parse(timestamp) >= earliest);
  // The list is newest first, so the last match is the earliest message.
  const found = fresh.findLast((message) => message.author.id === credential.botId && fits(message, part));
  if (found === undefined && fresh.length >= PAGE) {
    throw new Inconclusive('The channel has more new messages than Carillon asks Discord for.');
  }
  return found ?? null;
}

/**
 * To a bot without the permission to read the history of a channel, Discord lists no messages, and reports no error.
 * https://discord.com/developers/docs/resources/message#get-channel-messages
 *
 * @throws Inconclusive when the channel has messages
 */
async function requireEmpty(io: PlatformIo, credential: BotCredential): Promise<void> {
  const { path, ...as } = placeOf(credential, io);
  const { last_message_id: last } = read(Channel, await callDiscord(io, path, as));
  if (last == null) return;
  throw new Inconclusive(
    'Discord shows the bot no messages of the channel. It may lack the permission “Read Message History” there.',
  );
}

/** A nonce identifies the message; without one, the text is compared. Discord trims texts. */
function fits({ nonce, content }: Listed, { token, text }: SendPart): boolean {
  return nonce === undefined ? content.trim() === text.trim() : String(nonce) === token;
}
