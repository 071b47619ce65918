/** The address of the queues: which connection is shown. */
import { present, textIn } from '../../data/search.ts';

export interface QueuesSearch {
  /** Id of a connection. */
  readonly connection?: string;
}

export function readQueuesSearch(search: Record<string, unknown>): QueuesSearch {
  return present({ connection: textIn(search, 'connection') });
}
