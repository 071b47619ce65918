/** The frame of every view: skip link, navigation, banner, content, messages, palette and the list of shortcuts. */
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { serviceVersion } from '../data/session.ts';
import type { NavigationEntry } from '../navigation.ts';
import { Button } from '../ui/button.tsx';
import { Menu, Search } from '../ui/icons.tsx';
import { ServerLink } from '../ui/link.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { AccountMenu } from './account-menu.tsx';
import { LiveBanner } from './live-banner.tsx';
import { NavigationLink } from './navigation-links.tsx';
import { useNavigation } from './rights.tsx';
import { listenForShortcuts, useShortcuts } from './shortcuts.ts';

const Palette = lazy(() => import('./palette.tsx'));
const ShortcutList = lazy(() => import('./shortcut-list.tsx'));
const Drawer = lazy(() => import('./drawer.tsx'));

type Overlay = 'palette' | 'shortcuts' | 'drawer' | null;

export function Frame() {
  const navigation = useNavigation();
  const [overlay, setOverlay] = useState<Overlay>(null);
  const close = () => setOverlay(null);
  useFrameShortcuts(navigation, setOverlay);
  useEffect(listenForShortcuts, []);
  const main = useFocusOnNavigation();

  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="topbar">
        <a className="brand" href="/">
          <img src="/assets/bell.svg" alt="" width="28" height="28" />
          Carillon
        </a>
        <Button look="plain" onPress={() => setOverlay('palette')} aria-keyshortcuts="Control+K Meta+K">
          <Search aria-hidden size={18} /> Go to…
        </Button>
      </header>
      <nav className="sidebar" aria-label="Console">
        <ul>
          {navigation.map((entry) => (
            <li key={entry.label}>
              <NavigationLink entry={entry} />
            </li>
          ))}
        </ul>
        <AccountMenu />
        <p className="sidebar-foot">
          <ServerLink href="/docs">API reference</ServerLink> <ServerLink href="/status">Status</ServerLink>
          <br />
          Carillon {serviceVersion()}
        </p>
      </nav>
      <LiveBanner />
      <main id="content" className="content" tabIndex={-1} ref={main}>
        <Outlet />
      </main>
      <nav className="bottombar" aria-label="Main views">
        <ul>
          {navigation
            .filter(({ isMain }) => isMain)
            .map((entry) => (
              <li key={entry.label}>
                <NavigationLink entry={entry} />
              </li>
            ))}
          <li>
            <Button look="quiet" onPress={() => setOverlay('drawer')}>
              <Menu aria-hidden size={20} />
              <span>More</span>
            </Button>
          </li>
        </ul>
      </nav>
      <Toasts />
      <Suspense>
        {overlay === 'palette' && <Palette onClose={close} onShowShortcuts={() => setOverlay('shortcuts')} />}
        {overlay === 'shortcuts' && <ShortcutList onClose={close} />}
        {overlay === 'drawer' && <Drawer onClose={close} />}
      </Suspense>
    </div>
  );
}

function useFrameShortcuts(navigation: readonly NavigationEntry[], open: (overlay: Overlay) => void): void {
  const navigate = useNavigate();
  useShortcuts([
    { keys: 'mod+k', label: 'Go to a view or start an action', group: 'Everywhere', run: () => open('palette') },
    { keys: '?', label: 'Show the shortcuts', group: 'Everywhere', run: () => open('shortcuts') },
    ...navigation.map((entry) => ({
      keys: `g ${entry.key}`,
      label: `Go to ${entry.label}`,
      group: 'Views',
      run: () => ('href' in entry ? location.assign(entry.href) : void navigate({ to: entry.to })),
    })),
  ]);
}

/** Moves the focus to the content of a new view, so that screen readers and Tab begin there. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname });
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}
