/** The session of this page, for components. */
import { createContext, use } from 'react';
import type { Session } from '../data/session.ts';

export const SessionContext = createContext<Session | null>(null);

/** The session; only components inside the frame may ask. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error('There is no session outside of the frame.');
  return session;
}
