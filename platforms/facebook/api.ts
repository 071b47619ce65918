/** Calls to Meta's Graph API in the name of a Page. */
import { type PlatformFailure, type PlatformIo } from '../contract.ts';
import {
  callGraph as call,
  GRAPH_VERSION,
  type GraphAnswer,
  type GraphCall,
  graphDeleteFailure,
  graphFailure,
} from '../graph.ts';

export { GRAPH_VERSION as API_VERSION, type GraphAnswer, isMissing } from '../graph.ts';

/** What is stored, encrypted, for a connection. */
export interface PageLogin {
  readonly pageId: string;
  readonly accessToken: string;
}

/** Calls `path` under the version's root; ids in it must be encoded. */
export function callGraph(io: PlatformIo, login: PageLogin, path: string, how?: GraphCall): Promise<GraphAnswer> {
  return call(io, login.accessToken, `${io.endpoints.META_GRAPH_URL}/${GRAPH_VERSION}/${path}`, how);
}

/** The failure that an answer other than 200 stands for, to a call that publishes. */
export function failure(answer: GraphAnswer): PlatformFailure {
  return graphFailure({ name: 'Facebook' }, answer);
}

/** The failure that the answer to a delete stands for (docs/contract/posts.md#refused-deletes). */
export function deleteFailure(answer: GraphAnswer): PlatformFailure {
  return graphDeleteFailure({ name: 'Facebook' }, answer);
}
