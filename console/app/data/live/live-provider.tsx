/** Gives the app its live connection, and every component the status of it. */
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import type { Session } from '../session.ts';
import { useTRPC, useTRPCClient } from '../trpc.ts';
import { applyEvents, refreshAll } from './apply-event.ts';
import type { StreamMessage } from './event-reader.ts';
import { connectLive, type LiveStatus } from './live-connection.ts';

export type { LiveStatus } from './live-connection.ts';

const Status = createContext<LiveStatus>('connecting');

/** Events that arrive within this time are applied together. */
const GATHER_MS = 150;

export function useLiveStatus(): LiveStatus {
  return use(Status);
}

export function LiveProvider({ session, children }: { session: Session; children: ReactNode }) {
  const [status, setStatus] = useState<LiveStatus>('connecting');
  const queryClient = useQueryClient();
  const trpc = useTRPC();
  const api = useTRPCClient();

  useEffect(() => {
    const cache = { queryClient, trpc, api };
    let gathered: StreamMessage[] = [];
    const apply = () => {
      const messages = gathered;
      gathered = [];
      // A failed read shows in the view that asked for it.
      applyEvents(cache, messages).catch(() => undefined);
    };
    return connectLive(session, {
      onStatus: setStatus,
      onMessage: (message) => {
        if (gathered.push(message) === 1) setTimeout(apply, GATHER_MS);
      },
      onGap: () => void refreshAll(cache).catch(() => undefined),
    });
  }, [session, queryClient, trpc, api]);

  return <Status value={status}>{children}</Status>;
}
