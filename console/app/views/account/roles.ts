/** The roles in words. */
import type { Role } from '../../data/session.ts';
import type { Choice } from '../../ui/select.tsx';

export const ROLE_CHOICES: readonly Choice<Role>[] = [
  { value: 'viewer', label: 'Viewer: sees everything, changes nothing' },
  { value: 'editor', label: 'Editor: also writes, schedules and deletes posts' },
  { value: 'owner', label: 'Owner: everything, people and keys included' },
];
