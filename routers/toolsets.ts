/** The groups of tools: an agent gets the groups that its work needs, by the path that it connects to. */

/** Every toolset with its purpose. */
export const TOOLSETS = {
  posting: 'Writes, sends, schedules and manages posts; the toolset of /mcp',
  queues:
    'Sets the weekly slots of connections, pauses and orders their queues, lists posts by time, moves and tags them',
  connections: 'Changes, moves and disconnects linked accounts',
  ledger: 'Reads the platform calls and the events of a post',
  media: 'Manages images',
  profiles: 'Manages the profiles of customers',
  webhooks: 'Manages webhooks and lists their deliveries',
  files: 'Makes calendars to subscribe to, imports posts from files, and turns RSS and Atom feeds into drafts',
  account: 'Reads the plan and what is used of it',
  approvals: 'Decides on posts that wait for approval; only on its own path, and only with a key of the whole account',
  keys: 'Lists, mints and revokes API keys; only on its own path',
} as const satisfies Record<string, string>;

export type Toolset = keyof typeof TOOLSETS;

/** The tools for a client that connects to the default path. */
export const DEFAULT_TOOLSET: Toolset = 'posting';

/**
 * Not part of "all tools": a key outlives the conversation that creates it, and a decision belongs to a person, so a client must
 * request these explicitly.
 */
export const APART: ReadonlySet<Toolset> = new Set(['keys', 'approvals']);
