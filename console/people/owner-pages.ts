/** Links to the other pages of a signed-in person, shown on /owner. */
export const OWNER_PAGES: readonly {
  readonly path: string;
  readonly name: string;
  readonly about: string;
  readonly forOwners?: true;
}[] = [
  { path: '/', name: 'Console', about: 'Write posts and see the results.' },
  { path: '/account', name: 'People', about: 'See who has access, with which role; owners invite and remove people.' },
  { path: '/owner/activity', name: 'Activity', about: 'See who asked for which change, and how it ended.' },
  {
    path: '/owner/keys',
    name: 'API keys',
    about: 'Create and revoke keys that reach the whole account.',
    forOwners: true,
  },
  { path: '/owner/agents', name: 'Agents', about: 'See what programs may do for you, and take it back.' },
];
