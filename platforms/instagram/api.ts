/** Calls to Meta's Graph API in the name of a professional account on Instagram. */
import { CONTAINER_SUBCODES, type ContainerApi } from '../container-api.ts';
import { PlatformFailure, type PlatformIo } from '../contract.ts';
import { callGraph, GRAPH_VERSION, type GraphAnswer, type GraphCall, graphFailure, isMissing } from '../graph.ts';

/** What is stored, encrypted, for a connection. */
export interface InstagramLogin {
  readonly userId: string;
  /** Of the Page that the account belongs to, or of a person who manages it. */
  readonly accessToken: string;
}

/** How accounts are refused that never were professional, or are no longer. */
const NOT_PROFESSIONAL = /not an? (?:valid )?Instagram (?:business|professional)/i;

/** Calls `path` under the version's root; ids in it must be encoded. */
export function callInstagram(
  io: PlatformIo,
  { accessToken }: InstagramLogin,
  path: string,
  call?: GraphCall,
): Promise<GraphAnswer> {
  return callGraph(io, accessToken, `${io.endpoints.META_GRAPH_URL}/${GRAPH_VERSION}/${path}`, call);
}

/** The failure that an answer other than 200 stands for, to a call on the account that publishes. */
export function failure(answer: GraphAnswer): PlatformFailure {
  const isGone = isMissing(answer) || NOT_PROFESSIONAL.test(answer.error?.message ?? '');
  if (!isGone) return graphFailure({ name: 'Instagram', subcodes: CONTAINER_SUBCODES }, answer);
  return new PlatformFailure(
    'reconnect',
    'Instagram shows this login no professional account with that number: check that it is a business or creator account and connect it again.',
  );
}

/** @see https://developers.facebook.com/docs/instagram-platform/content-publishing/ */
export function containersOf(login: InstagramLogin, io: PlatformIo): ContainerApi {
  return {
    name: 'Instagram',
    account: encodeURIComponent(login.userId),
    posts: 'media',
    publish: 'media_publish',
    text: 'caption',
    state: { field: 'status_code', problem: 'status' },
    oneImage: {},
    call: (path, call) => callInstagram(io, login, path, call),
    failure,
  };
}
