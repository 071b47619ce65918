/**
 * The addresses of the app, one line per view. The server answers them, and one segment below each, with the app's page;
 * the router of the app gives them their content.
 */
export const VIEW_PATHS = [
  '/',
  '/activity',
  '/agents',
  '/account',
  '/analytics',
  '/approvals',
  '/calendar',
  '/compose',
  '/connections',
  '/design',
  '/files',
  '/keys',
  '/media',
  '/policies',
  '/posts',
  '/profiles',
  '/queues',
  '/settings',
  '/stops',
  '/webhooks',
] as const;

export type ViewPath = (typeof VIEW_PATHS)[number];

/** Whether the app answers an address. */
export function isViewPath(path: string): boolean {
  const [, view = '', item, ...rest] = path.split('/');
  if (rest.length > 0) return false;
  if (view === '') return item === undefined;
  return (VIEW_PATHS as readonly string[]).includes(`/${view}`);
}
