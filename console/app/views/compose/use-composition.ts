/** The composition that is shown, for components. */
import { useSyncExternalStore } from 'react';
import { useSession } from '../../shell/session-context.ts';
import type { Composition } from './composition.ts';
import { type CompositionStore, storeOf } from './store.ts';

export function useComposition(): { readonly store: CompositionStore; readonly composition: Composition } {
  const store = storeOf(useSession());
  const composition = useSyncExternalStore(store.subscribe, store.current);
  return { store, composition };
}

export function useOthers(store: CompositionStore): readonly Composition[] {
  return useSyncExternalStore(store.subscribe, store.others);
}
