/** Finding a message of which the answer was lost. Twilio takes no token of ours, so time, number and text have to do. */
import { z } from 'zod';
import { PlatformFailure, type PlatformIo, type SendPart, type TwilioAccount } from '../contract.ts';
import { earliestOf } from '../look-back.ts';
import { callTwilio, failure } from './api.ts';

const Message = z.object({
  sid: z.string(),
  body: z.string(),
  direction: z.string(),
  messaging_service_sid: z.string().nullish(),
  /** Such as Sat, 21 Nov 2026 09:00:00 +0000. */
  date_created: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
});
const List = z.object({ messages: z.array(Message) });

/** Messages that are asked for. */
const LISTED_MAX = 50;

/** What accounts on trial put in front of every text. */
const TRIAL = 'Sent from your Twilio trial account - ';

/**
 * The id of the message that a part became, or null when there is none that fits.
 *
 * The list is not narrowed by DateSent: what is still queued has no such date.
 *
 * @throws PlatformFailure when Twilio cannot be asked, or its answer cannot tell
 */
export async function findMessage(
  io: PlatformIo,
  account: TwilioAccount,
  to: string,
  part: SendPart,
): Promise<string | null> {
  const service = isService(account) ? account.from : null;
  const query = new URLSearchParams({ To: to, PageSize: String(LISTED_MAX) });
  if (service === null) query.set('From', account.from);
  const answer = await callTwilio(io, account, `/Messages.json?${query.toString()}`);
  if (answer.status !== 200) throw failure(answer);
  const list = List.safeParse(answer.body);
  if (!list.success) throw new PlatformFailure('unknown', 'Twilio did not list the messages to this number.');

  const earliest = earliestOf(part, answer, io.now());
  const recent = list.data.messages.filter(
    (message) => message.direction === 'outbound-api' && Date.parse(message.date_created) >= earliest,
  );
  const own = recent.filter((message) => service === null || message.messaging_service_sid === service);
  // Oldest first: a later one with the same text is somebody's second try.
  const found = own.toReversed().find(({ body }) => body === part.text || body === TRIAL + part.text);
  if (found !== undefined) return found.sid;
  if (list.data.messages.length >= LISTED_MAX && recent.length === list.data.messages.length) {
    throw new PlatformFailure('unknown', 'There are more new messages to this number than Twilio lists.');
  }
  if (service !== null && own.length > 0) {
    throw new PlatformFailure(
      'unknown',
      'A messaging service may change the signs of a text, so it cannot be compared.',
    );
  }
  return null;
}

/** Whether messages come from a messaging service, which picks the number itself. */
export function isService({ from }: TwilioAccount): boolean {
  return from.startsWith('MG');
}
