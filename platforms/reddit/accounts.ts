/** Finds the owner of a credential and the communities that can be posted to. */
import { z } from 'zod';
import { PlatformFailure, type PlatformIo } from '../contract.ts';
import { callReddit, failureOf } from './api.ts';

export interface RedditAccount {
  /** Such as `t2_75u2lqkb`. */
  readonly id: string;
  readonly username: string;
}

const Me = z.object({ id: z.string().min(1), name: z.string().min(1) });
const About = z.object({
  kind: z.literal('t5'),
  data: z.object({ display_name: z.string(), user_is_banned: z.boolean().nullish() }),
});
const Moderated = z.object({
  data: z.object({ children: z.array(z.object({ data: About.shape.data })), after: z.string().nullish() }),
});

/** Communities to request at once; Reddit gives no more. */
const AT_ONCE = 100;

/** Requests after which the list ends. */
const REQUESTS_MAX = 10;

export async function readAccount(io: PlatformIo, accessToken: string): Promise<RedditAccount> {
  const answer = await callReddit(io, accessToken, '/api/v1/me');
  const refused = failureOf(answer);
  if (refused !== null) throw refused;
  const me = Me.safeParse(answer.body);
  if (!me.success)
    throw new PlatformFailure('unavailable', 'Reddit answered without the account of this access token.');
  return { id: `t2_${me.data.id}`, username: me.data.name };
}

/**
 * Returns the name of a community in its own spelling. @throws PlatformFailure when it does not exist or excludes
 * this account
 */
export async function readCommunity(io: PlatformIo, accessToken: string, name: string): Promise<string> {
  const answer = await callReddit(io, accessToken, `/r/${encodeURIComponent(name)}/about`);
  // For a missing community, Reddit redirects to its search; for a closed one, it returns the reason.
  if ([302, 403, 404].includes(answer.status)) throw notShown(name);
  const refused = failureOf(answer);
  if (refused !== null) throw refused;
  const about = About.safeParse(answer.body);
  if (!about.success) throw notShown(name);
  if (about.data.data.user_is_banned !== true) return about.data.data.display_name;
  throw new PlatformFailure('rejected', `The account is banned from r/${name}; choose another community.`);
}

/** Lists the communities that the account moderates, as far as the credential may read them. */
export async function listModerated(io: PlatformIo, accessToken: string): Promise<string[]> {
  const names: string[] = [];
  let after: string | null | undefined;
  for (let request = 0; request < REQUESTS_MAX; request += 1) {
    const query = { limit: String(AT_ONCE), ...(after && { after }) };
    const answer = await callReddit(io, accessToken, '/subreddits/mine/moderator', { query });
    const listed = Moderated.safeParse(answer.body).data?.data;
    names.push(...(listed?.children ?? []).map(({ data }) => data.display_name));
    after = listed?.after;
    if (!after) break;
  }
  // Reddit counts the account's own profile as one of them.
  return names.filter((name) => !name.startsWith('u_'));
}

function notShown(name: string): PlatformFailure {
  return new PlatformFailure('rejected', `Reddit shows this account no community r/${name}.`);
}
