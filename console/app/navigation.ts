/**
 * The navigation as data, one line per entry, in the order shown. `to` is a view of the app, `href` a page that the server
 * renders for signed-in people. `keys` is the shortcut: press g, then the key.
 */
import type { Right } from './data/session.ts';
import type { Icon } from './ui/icon.tsx';
import {
  Activity,
  ArrowDownUp,
  Bot,
  CalendarDays,
  ChartColumn,
  Hand,
  Home,
  ImageIcon,
  KeyRound,
  List,
  ListOrdered,
  PenLine,
  Plug,
  Scale,
  Settings,
  ShieldCheck,
  UserRound,
  UsersRound,
  WebhookIcon,
} from './ui/view-icons.tsx';
import type { ViewPath } from './view-paths.ts';

interface Entry {
  readonly label: string;
  readonly icon: Icon;
  /** Key after g. */
  readonly key: string;
  /** What a person needs to be offered it; everyone is when absent. */
  readonly needs?: Right;
  /** Whether phones show it in the bar at the bottom, which has room for four. */
  readonly isMain?: true;
}

export type NavigationEntry = Entry & ({ readonly to: ViewPath } | { readonly href: `/owner${string}` });

export const NAVIGATION: readonly NavigationEntry[] = [
  { to: '/', label: 'Today', icon: Home, key: 't', isMain: true },
  { to: '/compose', label: 'Compose', icon: PenLine, key: 'w', isMain: true, needs: 'posts:write' },
  { to: '/posts', label: 'Posts', icon: List, key: 'p', isMain: true },
  { to: '/approvals', label: 'Approvals', icon: ShieldCheck, key: 'o' },
  { to: '/calendar', label: 'Calendar', icon: CalendarDays, key: 'd' },
  { to: '/queues', label: 'Queues', icon: ListOrdered, key: 'q' },
  { to: '/connections', label: 'Connections', icon: Plug, key: 'c', isMain: true },
  { to: '/profiles', label: 'Profiles', icon: UsersRound, key: 'f' },
  { to: '/webhooks', label: 'Webhooks', icon: WebhookIcon, key: 'h' },
  { to: '/analytics', label: 'Analytics', icon: ChartColumn, key: 'm' },
  { to: '/media', label: 'Media', icon: ImageIcon, key: 'i' },
  { to: '/files', label: 'Files and feeds', icon: ArrowDownUp, key: 'l' },
  { to: '/keys', label: 'Keys', icon: KeyRound, key: 'k', needs: 'owner' },
  { to: '/agents', label: 'Agents', icon: Bot, key: 'b' },
  { to: '/policies', label: 'Policies', icon: Scale, key: 'y' },
  { to: '/stops', label: 'Stops', icon: Hand, key: 'e' },
  { to: '/activity', label: 'Activity', icon: Activity, key: 'v' },
  { to: '/settings', label: 'Settings', icon: Settings, key: 's', needs: 'owner' },
  { to: '/account', label: 'Account', icon: UserRound, key: 'a' },
];
