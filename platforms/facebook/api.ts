/** Calls Meta's Graph API on behalf of a Page. */
import type { PlatformIo } from '../contract.ts';
import { callGraph as call, GRAPH_VERSION, type GraphAnswer, type GraphCall, graphFailures } from '../meta/graph.ts';

export { GRAPH_VERSION as API_VERSION, type GraphAnswer, isMissing } from '../meta/graph.ts';

/** The credential that is stored, encrypted, for a connection. */
export interface PageCredential {
  readonly pageId: string;
  readonly accessToken: string;
}

/** Calls `path` under the versioned API root. Ids in it must be URL-encoded. */
export function callGraph(
  io: PlatformIo,
  credential: PageCredential,
  path: string,
  how?: GraphCall,
): Promise<GraphAnswer> {
  return call(io, credential.accessToken, `${io.endpoints.META_GRAPH_URL}/${GRAPH_VERSION}/${path}`, how);
}

export const { failure, requireDeleted } = graphFailures({ name: 'Facebook' });
