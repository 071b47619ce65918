/**
 * Finds a message whose response was lost. Twilio takes no idempotency token, so the match uses time, number and
 * text.
 */
import { z } from 'zod';
import { Inconclusive, PlatformFailure, type PlatformIo, type SendPart } from '../contract.ts';
import type { TwilioAccount } from './settings.ts';
import { earliestOf } from '../match-post.ts';
import { platformWords } from '../http.ts';
import { callTwilio, failure } from './api.ts';

const Message = z.object({
  sid: z.string(),
  body: z.string(),
  direction: z.string(),
  messaging_service_sid: z.string().nullish(),
  status: z.string(),
  error_code: z.number().nullish(),
  error_message: z.string().nullish(),
  /** Such as Sat, 21 Nov 2026 09:00:00 +0000. */
  date_created: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
});
const List = z.object({ messages: z.array(Message) });

/** Statuses of messages that did not go out, and never will. */
const NOT_OUT = ['failed', 'undelivered', 'canceled'];

/** Maximum number of messages to request. */
const LISTED_MAX = 50;

/** Text that Twilio adds before each message of a trial account. */
const TRIAL = 'Sent from your Twilio trial account - ';

/**
 * Finds the id of a part's message, or returns null when no message matches. Returns a failure when Twilio took the
 * message and could not send it.
 *
 * The list is not filtered by DateSent: queued messages have no such date.
 *
 * @throws PlatformFailure when Twilio cannot be reached, or its response is inconclusive
 */
export async function findMessage(
  io: PlatformIo,
  account: TwilioAccount,
  to: string,
  part: SendPart,
): Promise<string | PlatformFailure | null> {
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
  // Oldest first: a later one with the same text is someone's second attempt.
  const matching = own.toReversed().filter(({ body }) => body === part.text || body === TRIAL + part.text);
  const found = matching.find(({ status }) => !NOT_OUT.includes(status));
  if (found !== undefined) return found.sid;
  const [lost] = matching;
  if (lost !== undefined) {
    const { status, error_message: words, error_code: code } = lost;
    const reason = platformWords(words ?? (code == null ? 'it gives no reason' : `error ${code}`));
    return new PlatformFailure('rejected', `Twilio did not send the message, which is ${status}: ${reason}`);
  }
  if (list.data.messages.length >= LISTED_MAX && recent.length === list.data.messages.length) {
    throw new Inconclusive('There are more new messages to this number than Twilio lists.');
  }
  if (service !== null && own.length > 0) {
    throw new Inconclusive('A messaging service may change the signs of a text, so it cannot be compared.');
  }
  return null;
}

/** Whether the sender is a messaging service, which selects the number. */
export function isService({ from }: TwilioAccount): boolean {
  return from.startsWith('MG');
}
