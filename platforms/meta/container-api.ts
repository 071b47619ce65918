/** What Instagram and Threads share: both take posts as containers and report errors with the same subcodes. */
import type { FailureKind, PlatformFailure } from '../contract.ts';
import type { GraphAnswer, GraphCall } from './graph.ts';

/** A platform that takes containers, called on behalf of one account. */
export interface ContainerApi {
  /** The platform's display name. */
  readonly name: string;
  /** Path of the account. */
  readonly account: string;
  /** The account's edge that creates containers and lists posts. */
  readonly posts: string;
  /** The account's edge that publishes containers. */
  readonly publish: string;
  /** The platform's field name for the text of a post. */
  readonly text: string;
  /** The platform's field names for the status of a container and its error. */
  readonly state: { readonly field: string; readonly problem: string };
  /** The platform's field name for the type of a container with one image. */
  readonly oneImage: Readonly<Record<string, string>>;
  call(path: string, call?: GraphCall): Promise<GraphAnswer>;
  /** Returns the failure for a response other than 200 to a publishing call. */
  failure(answer: GraphAnswer): PlatformFailure;
}

/** Subcode for a container that is reported as not ready although its status is finished. */
export const NOT_READY = 2_207_027;

/** Failure kinds of the subcodes about containers. Other errors are decided by their codes. */
export const CONTAINER_SUBCODES: ReadonlyMap<number, FailureKind> = new Map<number, FailureKind>([
  // The image could not be fetched, is too large, or has the wrong type or aspect ratio.
  [2_207_052, 'rejected'],
  [2_207_004, 'rejected'],
  [2_207_005, 'rejected'],
  [2_207_009, 'rejected'],
  // The text is too long, or there are too few or too many images.
  [2_207_010, 'rejected'],
  [2_207_028, 'rejected'],
  // The account has reached its daily limit, or may not post.
  [2_207_042, 'rejected'],
  [2_207_050, 'rejected'],
  [2_207_051, 'rejected'],
  [4_279_013, 'rejected'],
  // The container no longer exists: the next send creates another one.
  [2_207_006, 'unavailable'],
  [2_207_008, 'unavailable'],
  [2_207_020, 'unavailable'],
  // The same on Threads, which also answers so for a container that is finished: seconds later another one goes out.
  [4_279_009, 'unavailable'],
  [NOT_READY, 'unavailable'],
  // The platform could not create the container at the moment, or the download of an image took it too long.
  [2_207_003, 'unavailable'],
  [2_207_032, 'unavailable'],
  [2_207_053, 'unavailable'],
  [2_207_082, 'unavailable'],
  // An internal error, possibly after the container was published.
  [2_207_001, 'unknown'],
]);
