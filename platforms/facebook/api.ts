/** Calls Meta's Graph API on behalf of a Page. */
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

/** The credential that is stored, encrypted, for a connection. */
export interface PageLogin {
  readonly pageId: string;
  readonly accessToken: string;
}

/** Calls `path` under the versioned API root. Ids in it must be URL-encoded. */
export function callGraph(io: PlatformIo, login: PageLogin, path: string, how?: GraphCall): Promise<GraphAnswer> {
  return call(io, login.accessToken, `${io.endpoints.META_GRAPH_URL}/${GRAPH_VERSION}/${path}`, how);
}

/** Returns the failure for a response other than 200 to a publishing call. */
export function failure(answer: GraphAnswer): PlatformFailure {
  return graphFailure({ name: 'Facebook' }, answer);
}

/** Returns the failure for the response to a delete (docs/contract/posts.md#refused-deletes). */
export function deleteFailure(answer: GraphAnswer): PlatformFailure {
  return graphDeleteFailure({ name: 'Facebook' }, answer);
}
