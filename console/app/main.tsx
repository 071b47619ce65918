/** Starts the console: for a session the views, for a visitor without one the entry. */
import './trusted-types.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense, useMemo, useState } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { createRoot } from 'react-dom/client';
import { LiveProvider } from './data/live/live-provider.tsx';
import { createQueryClient } from './data/query-client.ts';
import { currentSession, forgetKey, type Session } from './data/session.ts';
import { createApi, TRPCProvider } from './data/trpc.ts';
import { router } from './router.tsx';
import { SessionContext } from './shell/session-context.ts';
import { LOCALE } from './ui/times.ts';
import './styles/index.css';

// Most visitors are signed in.
const Entry = lazy(() => import('./shell/entry.tsx'));

function App() {
  const [session, setSession] = useState(currentSession);
  if (session !== null) return <Console session={session} />;
  return (
    <Suspense>
      <Entry onOpen={() => setSession(currentSession())} />
    </Suspense>
  );
}

function Console({ session }: { session: Session }) {
  const [api, queryClient] = useMemo(() => [createApi(session), createQueryClient(leave)] as const, [session]);
  return (
    <SessionContext value={session}>
      <QueryClientProvider client={queryClient}>
        <TRPCProvider trpcClient={api} queryClient={queryClient}>
          <LiveProvider session={session}>
            <RouterProvider router={router} />
          </LiveProvider>
        </TRPCProvider>
      </QueryClientProvider>
    </SessionContext>
  );
}

let isLeaving = false;

/** The sign-in has ended, or the key was revoked: the server's page says how to go on. */
function leave(): void {
  if (isLeaving) return;
  isLeaving = true;
  forgetKey();
  location.reload();
}

const place = document.querySelector('#app');
if (place === null) throw new Error('The page has no place for the app.');
createRoot(place).render(
  <StrictMode>
    <I18nProvider locale={LOCALE}>
      <App />
    </I18nProvider>
  </StrictMode>,
);
