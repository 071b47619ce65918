/** Finding a message of the bot of which the answer was lost. Webhooks cannot read what they have posted. */
import { z } from 'zod';
import { PlatformFailure, type PlatformIo, type SendPart } from '../contract.ts';
import { earliestOf } from '../look-back.ts';
import { callDiscord } from './api.ts';
import { type BotLogin, placeOf, read } from './login.ts';

/** Messages that are asked for: the newest. */
const PAGE = 100;

const Listed = z.object({
  id: z.string(),
  content: z.string(),
  timestamp: z.string(),
  author: z.object({ id: z.string() }),
  /** Not every list carries it. */
  nonce: z.union([z.string(), z.number()]).optional(),
});
type Listed = z.infer<typeof Listed>;

/**
 * The message that a part became, or null when the channel has none that fits.
 *
 * @throws PlatformFailure when Discord cannot be asked, or the channel has more new messages than are asked for
 */
export async function findMessage(io: PlatformIo, login: BotLogin, part: SendPart): Promise<Listed | null> {
  const { path, ...as } = placeOf(login, io);
  const answer = await callDiscord(io, `${path}/messages`, { ...as, query: { limit: String(PAGE) } });
  const messages = read(z.array(Listed), answer);
  const earliest = earliestOf(part, answer, io.now());
  const fresh = messages.filter(({ timestamp }) => Date.parse(timestamp) >= earliest);
  // Newest first, so the last that fits is the first that was made.
  const found = fresh.findLast((message) => message.author.id === login.botId && fits(message, part));
  if (found === undefined && fresh.length >= PAGE) {
    throw new PlatformFailure('unknown', 'The channel has more new messages than Carillon asks Discord for.');
  }
  return found ?? null;
}

/** A nonce says whose message it is; without one the text has to. Discord trims texts. */
function fits({ nonce, content }: Listed, { token, text }: SendPart): boolean {
  return nonce === undefined ? content.trim() === text.trim() : String(nonce) === token;
}
