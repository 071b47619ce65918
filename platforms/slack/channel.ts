/** Checks whether a bot can post to a channel, as far as its token can tell. */
import { z } from 'zod';
import { PlatformFailure, type PlatformIo } from '../contract.ts';
import { callSlack, failure, type SlackCredential } from './api.ts';

const Bot = z.object({ team: z.string(), team_id: z.string() });
const Channel = z.object({
  channel: z.object({
    name: z.string().optional(),
    is_archived: z.boolean().optional(),
    is_member: z.boolean().optional(),
  }),
});

/** A workspace and one of its channels. */
interface Place {
  readonly teamId: string;
  readonly teamName: string;
  /** Such as `#bells`; the channel's id if the token may not read its name. */
  readonly channelName: string;
}

/** @throws PlatformFailure when the bot's token is invalid or it cannot post there */
export async function findPlace(io: PlatformIo, credential: SlackCredential): Promise<Place> {
  const answer = await callSlack(io, credential.botToken, 'auth.test', { form: {} });
  if (!answer.isOk) throw failure(answer);
  const bot = Bot.safeParse(answer.body);
  if (!bot.success) throw new PlatformFailure('unavailable', 'Slack answered without the workspace of this bot.');
  const scopes = scopesOf(answer.headers);
  if (scopes !== null && !scopes.includes('chat:write')) {
    throw new PlatformFailure('rejected', 'The bot’s token lacks the scope chat:write, without which it cannot post.');
  }
  const channelName = await nameOf(io, credential, scopes);
  return { teamId: bot.data.team_id, teamName: bot.data.team, channelName };
}

async function nameOf(io: PlatformIo, credential: SlackCredential, scopes: readonly string[] | null): Promise<string> {
  const { botToken, channelId } = credential;
  const answer = await callSlack(io, botToken, 'conversations.info', { form: { channel: channelId } });
  // Posting needs fewer permissions than reading the channel.
  if (answer.error === 'missing_scope') return channelId;
  if (answer.error === 'channel_not_found') {
    throw new PlatformFailure('rejected', `Slack shows this bot no channel ${channelId}; invite the bot to it.`);
  }
  if (!answer.isOk) throw failure(answer);
  const channel = Channel.safeParse(answer.body).data?.channel ?? {};
  if (channel.is_archived === true) {
    throw new PlatformFailure('rejected', `The channel ${channelId} is archived; no one can post there.`);
  }
  if (channel.is_member === false && scopes !== null && !scopes.includes('chat:write.public')) {
    throw new PlatformFailure('rejected', `The bot is not in the channel ${channelId}; invite it.`);
  }
  return channel.name === undefined ? channelId : `#${channel.name}`;
}

/** Scopes of the token; null if Slack does not report them. */
function scopesOf(headers: Headers): readonly string[] | null {
  const listed = headers.get('x-oauth-scopes');
  return listed === null ? null : listed.split(',').map((scope) => scope.trim());
}
