/** The groups of tools: an agent gets the groups that its work needs, by the path that it connects to. */

/** Every toolset with its purpose. */
export const TOOLSETS = {
  posting: 'Writes, sends, schedules and looks after posts; what /mcp itself has',
  queues: 'Sets the weekly slots of connections, pauses them, and moves posts to other times',
  connections: 'Changes, moves and disconnects linked accounts',
  ledger: 'Looks into the calls that a post was sent with',
  media: 'Looks after images',
  profiles: 'Looks after the profiles of customers',
  webhooks: 'Sets up webhooks, and looks at what was delivered to them',
  account: 'Reads the plan and what is used of it',
  keys: 'Lists, mints and revokes API keys; only on its own path',
} as const satisfies Record<string, string>;

export type Toolset = keyof typeof TOOLSETS;

/** The tools for a client that connects to the default path. */
export const DEFAULT_TOOLSET: Toolset = 'posting';

/**
 * Not part of "all tools": a key outlives the conversation that creates it, so a client must request these explicitly.
 */
export const APART: ReadonlySet<Toolset> = new Set(['keys']);
