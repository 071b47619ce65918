/** Links to the other pages of a signed-in owner, shown on /owner. */
export const OWNER_PAGES: readonly { readonly path: string; readonly name: string; readonly about: string }[] = [
  { path: '/', name: 'Console', about: 'Write posts and see what became of them.' },
  { path: '/owner/activity', name: 'Activity', about: 'See who asked for which change, and how it ended.' },
  { path: '/owner/keys', name: 'API keys', about: 'Create and revoke keys that reach the whole account.' },
  { path: '/owner/agents', name: 'Agents', about: 'See what programs may do for you, and take it back.' },
];
