/** Calls Meta's Graph API on behalf of a professional account on Instagram. */
import { CONTAINER_SUBCODES, type ContainerApi } from '../meta/container-api.ts';
import { PlatformFailure, type PlatformIo } from '../contract.ts';
import { callGraph, GRAPH_VERSION, type GraphAnswer, type GraphCall, graphFailures, isMissing } from '../meta/graph.ts';

/** The credential that is stored, encrypted, for a connection. */
export interface InstagramCredential {
  readonly userId: string;
  /** Token of the Page to which the account belongs, or of a user who manages it. */
  readonly accessToken: string;
}

/** Subcodes for accounts that are not, or no longer, professional. */
const NOT_PROFESSIONAL = /not an? (?:valid )?Instagram (?:business|professional)/i;

/** Calls `path` under the versioned API root. Ids in it must be URL-encoded. */
export function callInstagram(
  io: PlatformIo,
  { accessToken }: InstagramCredential,
  path: string,
  call?: GraphCall,
): Promise<GraphAnswer> {
  return callGraph(io, accessToken, `${io.endpoints.META_GRAPH_URL}/${GRAPH_VERSION}/${path}`, call);
}

const responses = graphFailures({ name: 'Instagram', subcodes: CONTAINER_SUBCODES });

/** Returns the failure for a response other than 200 to a publishing call on the account. */
export function failure(answer: GraphAnswer): PlatformFailure {
  const isGone = isMissing(answer) || NOT_PROFESSIONAL.test(answer.error?.message ?? '');
  if (!isGone) return responses.failure(answer);
  return new PlatformFailure(
    'reconnect',
    'Instagram shows this credential no professional account with that number: check that it is a business or creator account and connect it again.',
  );
}

/** @see https://developers.facebook.com/docs/instagram-platform/content-publishing/ */
export function containersOf(credential: InstagramCredential, io: PlatformIo): ContainerApi {
  return {
    name: 'Instagram',
    account: encodeURIComponent(credential.userId),
    posts: 'media',
    publish: 'media_publish',
    text: 'caption',
    state: { field: 'status_code', problem: 'status' },
    oneImage: {},
    call: (path, call) => callInstagram(io, credential, path, call),
    failure,
  };
}
