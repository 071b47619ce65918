/**
 * The navigation as data, one line per entry, in the order shown. `to` is a view of the app, `href` a page that the server
 * renders for signed-in people. `keys` is the shortcut: press g, then the key.
 */
import Activity from 'lucide-react/icons/activity';
import Bot from 'lucide-react/icons/bot';
import ChartColumn from 'lucide-react/icons/chart-column';
import Home from 'lucide-react/icons/home';
import CalendarDays from 'lucide-react/icons/calendar-days';
import ImageIcon from 'lucide-react/icons/image';
import KeyRound from 'lucide-react/icons/key-round';
import ListOrdered from 'lucide-react/icons/list-ordered';
import List from 'lucide-react/icons/list';
import PenLine from 'lucide-react/icons/pen-line';
import Plug from 'lucide-react/icons/plug';
import Settings from 'lucide-react/icons/settings';
import UserRound from 'lucide-react/icons/user-round';
import UsersRound from 'lucide-react/icons/users-round';
import WebhookIcon from 'lucide-react/icons/webhook';
import type { Right } from './data/session.ts';
import type { ViewPath } from './view-paths.ts';
import type { LucideIcon } from './ui/icon.ts';

interface Entry {
  readonly label: string;
  readonly icon: LucideIcon;
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
  { to: '/calendar', label: 'Calendar', icon: CalendarDays, key: 'd' },
  { to: '/queues', label: 'Queues', icon: ListOrdered, key: 'q' },
  { to: '/connections', label: 'Connections', icon: Plug, key: 'c', isMain: true },
  { to: '/profiles', label: 'Profiles', icon: UsersRound, key: 'f' },
  { to: '/webhooks', label: 'Webhooks', icon: WebhookIcon, key: 'h' },
  { to: '/analytics', label: 'Analytics', icon: ChartColumn, key: 'm' },
  { to: '/media', label: 'Media', icon: ImageIcon, key: 'i' },
  { to: '/keys', label: 'Keys', icon: KeyRound, key: 'k', needs: 'owner' },
  { to: '/agents', label: 'Agents', icon: Bot, key: 'b' },
  { to: '/activity', label: 'Activity', icon: Activity, key: 'v' },
  { to: '/settings', label: 'Settings', icon: Settings, key: 's', needs: 'owner' },
  { to: '/account', label: 'Account', icon: UserRound, key: 'a' },
];
