/** What a caller may be limited to: the scopes that operations declare and that a person agrees to (RFC 6749 section 3.3). */

/** Every scope, with what it lets an agent do in the words of the consent page. */
export const SCOPES = {
  'connections:read': 'See which accounts are connected, and their queues',
  'connections:write': 'Connect accounts, and change their queues and settings',
  'posts:read': 'See posts and their results',
  'posts:write': 'Publish, schedule, change and delete posts',
  'analytics:read': 'See how posts are doing',
  'profiles:read': 'See profiles',
  'profiles:write': 'Make, change and delete profiles',
  'webhooks:read': 'See webhooks and what was delivered to them',
  'webhooks:write': 'Make, test and delete webhooks',
  'keys:read': 'See the names of API keys',
  'keys:write': 'Make and revoke API keys',
  'account:read': 'See the plan, its use, and who did what',
} as const satisfies Record<string, string>;

export type Scope = keyof typeof SCOPES;

/** What the default tools need; asked for where a client asks for nothing (D29). */
export const DEFAULT_SCOPES: readonly Scope[] = [
  'connections:read',
  'posts:read',
  'posts:write',
  'analytics:read',
  'profiles:read',
];
