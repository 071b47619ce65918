/** The scopes that operations require and that a person consents to (RFC 6749 section 3.3). */

/** Every scope, with its description on the consent page. */
export const SCOPES = {
  'connections:read': 'See which accounts are connected, with their queues and settings',
  'connections:write':
    'Connect accounts, disconnect them (which cancels the posts that wait for them), and change their queues, settings and profiles',
  'posts:read': 'Read all posts with their texts, images and results, drafts included',
  'posts:write':
    'Publish to every connected account that it reaches, and schedule, change, cancel and delete posts, published ones included',
  'analytics:read': 'See how posts perform: likes, reposts, replies, impressions',
  'profiles:read': 'See profiles',
  'profiles:write':
    'Create, change and delete profiles; deleting one disconnects its accounts, cancels its posts and ends its keys',
  'webhooks:read': 'See webhooks and everything that was delivered to them, the texts of posts included',
  'webhooks:write':
    'Register addresses that receive every event, the texts of posts included, change, test and delete them, and rotate their secrets. Those it registers, or gives a new address or secret, end with its access',
  'keys:read': 'See the names, types and last use of API keys',
  'keys:write':
    'Create API keys that can do what you allow here, on every interface, and revoke any API key of the account. Keys it creates end with its access',
  'account:read': 'See the plan, its usage, and the audit: who did what',
} as const satisfies Record<string, string>;

export type Scope = keyof typeof SCOPES;

export function isScope(name: string): name is Scope {
  return Object.hasOwn(SCOPES, name);
}

/** The scopes that the default tools need; used when a client requests none (docs/contract/agents.md#tool-results). */
export const DEFAULT_SCOPES: readonly Scope[] = [
  'connections:read',
  'posts:read',
  'posts:write',
  'analytics:read',
  'profiles:read',
];
