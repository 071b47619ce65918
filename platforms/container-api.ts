/** What Instagram and Threads have in common: posts are handed over as containers, and the same subcodes tell what went wrong. */
import type { FailureKind, PlatformFailure } from './contract.ts';
import type { GraphAnswer, GraphCall } from './graph.ts';

/** A platform that takes containers, in the name of one account. */
export interface ContainerApi {
  /** The name people know it by. */
  readonly name: string;
  /** Path of the account. */
  readonly account: string;
  /** The account's edge where containers are made and posts are listed. */
  readonly posts: string;
  /** The account's edge where containers are published. */
  readonly publish: string;
  /** What it calls the text of a post. */
  readonly text: string;
  /** What it calls how far a container is, and what is wrong with one. */
  readonly state: { readonly field: string; readonly problem: string };
  /** What names a container with one image. */
  readonly oneImage: Readonly<Record<string, string>>;
  call(path: string, call?: GraphCall): Promise<GraphAnswer>;
  /** The failure that an answer other than 200 stands for, to a call that publishes. */
  failure(answer: GraphAnswer): PlatformFailure;
}

/** A container that is said not to be ready although it is finished. */
export const NOT_READY = 2_207_027;

/** What the subcodes mean that have to do with containers. Others are decided by their codes. */
export const CONTAINER_SUBCODES: ReadonlyMap<number, FailureKind> = new Map<number, FailureKind>([
  // An image that could not be fetched, is too large, of another type, or of another shape.
  [2_207_003, 'rejected'],
  [2_207_052, 'rejected'],
  [2_207_004, 'rejected'],
  [2_207_005, 'rejected'],
  [2_207_009, 'rejected'],
  // A text that is too long, and too few or too many images.
  [2_207_010, 'rejected'],
  [2_207_028, 'rejected'],
  // The account has posted what it may in a day, or may not post.
  [2_207_042, 'rejected'],
  [2_207_050, 'rejected'],
  [2_207_051, 'rejected'],
  [4_279_013, 'rejected'],
  // The container is gone: the next send makes another one.
  [2_207_006, 'unavailable'],
  [2_207_008, 'unavailable'],
  [2_207_020, 'unavailable'],
  [NOT_READY, 'unavailable'],
  // Containers that could not be made for now.
  [2_207_032, 'unavailable'],
  [2_207_053, 'unavailable'],
  [2_207_082, 'unavailable'],
  // Something broke on the way, perhaps after the container was published.
  [2_207_001, 'unknown'],
]);
