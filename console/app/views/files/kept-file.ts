/**
 * Keeps the file of the last check or import in this browser, so that a page that was closed in between can begin the
 * import, go on with a cancelled one, and try failed rows again: the service continues an import that it gets again.
 */
import type { Inputs } from '../../data/trpc.ts';
import type { Session } from '../../data/session.ts';

/** What is sent to the service, but for the decision whether it is only checked. */
export type FileRequest = Omit<Inputs['imports']['start'], 'dryRun'>;

interface Kept {
  /** Ids of the check and the import of this file. */
  readonly importIds: readonly string[];
  readonly request: FileRequest;
}

/** People who share a browser do not see each other's files. */
function placeOf(session: Session): string {
  return `carillon.import.${session.kind === 'person' ? session.person.email : session.key.slice(0, 14)}`;
}

/** @returns false when the browser has no room for it */
export function keepFile(session: Session, importId: string, request: FileRequest): boolean {
  const before = readKept(session);
  const isSame = before !== null && JSON.stringify(before.request) === JSON.stringify(request);
  const importIds = [...new Set([...(isSame ? before.importIds : []), importId])];
  try {
    localStorage.setItem(placeOf(session), JSON.stringify({ importIds, request } satisfies Kept));
    return true;
  } catch {
    // The file of another import would be wrong here.
    localStorage.removeItem(placeOf(session));
    return false;
  }
}

/** The file of an import; null when this browser does not have it. */
export function keptFile(session: Session, importId: string): FileRequest | null {
  const kept = readKept(session);
  return kept?.importIds.includes(importId) === true ? kept.request : null;
}

function readKept(session: Session): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(placeOf(session)) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}
