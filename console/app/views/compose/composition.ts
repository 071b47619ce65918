/** What a person writes: one text for several connections, with all that goes with it. */
import type { Inputs, Outputs } from '../../data/api-types.ts';
import { ZONE } from '../../ui/times.ts';

export type CreateInput = Inputs['posts']['create'];

export interface ComposedImage {
  readonly id: string;
  readonly altText: string;
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
}

/** The pending request for approval whose post is edited. It waits as it is until the composition is sent. */
export interface WaitingApproval {
  readonly postId: string;
  readonly connectionId: string;
  readonly requestedAt: string;
  /** Name of the key or agent. */
  readonly requestedBy: string;
  /** When the post goes out once it is approved. */
  readonly plan: NonNullable<Outputs['posts']['get']['post']['approval']>['plan'];
}

/** What sends the post of a request for approval. */
export interface ApprovalAnswer extends WaitingApproval {
  /** Whether it goes out as the request asks. */
  readonly followsPlan: boolean;
  /** The chosen time, as an instant; null for none. */
  readonly at: number | null;
}

/** What is sent for some connections. */
export interface ComposedRequest {
  readonly key: string;
  readonly input: CreateInput;
  /** Present when it sends the post of a request instead of a new one. */
  readonly approval?: ApprovalAnswer | undefined;
}

export type AnsweringRequest = ComposedRequest & { readonly approval: ApprovalAnswer };

/** Requests whose answer is not known yet. Each has its idempotency key, so no copy of them is carried out again. */
export interface Pending {
  readonly kind: 'save' | 'send';
  /** When they were sent first, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly requests: readonly ComposedRequest[];
  /** What was written then, as {@link contentKey} gives it; absent in what an older version of the console stored. */
  readonly content?: string | undefined;
}

/** Drafts that one save stored. */
export interface SavedDrafts {
  /** What it saved, as {@link contentKey} gives it. */
  readonly content: string;
  readonly ids: readonly string[];
}

/** Drafts that are gone while it is not known whether the text went out elsewhere. */
export interface LostDrafts {
  readonly connectionIds: readonly string[];
  /** What was written when that was noticed, as {@link contentKey} gives it. */
  readonly content: string;
}

/** The service keeps an idempotency key for 24 hours; this leaves an hour for slow answers and clocks. */
const REPEATABLE_MS = 23 * 3_600_000;

/** Whether the requests can be repeated without being carried out twice. */
export function isRepeatable({ startedAt }: Pending, now: number): boolean {
  // What an older version of the console stored has no time, which compares as false.
  return now - startedAt < REPEATABLE_MS;
}

export type When = 'now' | 'time' | 'queue' | 'draft';

export interface Composition {
  readonly id: string;
  readonly text: string;
  /** Text by platform id, in place of the shared one. */
  readonly variants: Readonly<Record<string, string>>;
  /** Replies, in order. */
  readonly thread: readonly string[];
  /** Null while there is no field for it. */
  readonly firstComment: string | null;
  /** As typed, separated by spaces or commas. */
  readonly tags: string;
  readonly images: readonly ComposedImage[];
  /** Ids of connections. */
  readonly targets: readonly string[];
  readonly when: When;
  /** Wall time in `zone`; empty until it is chosen. */
  readonly time: string;
  /** Whether `time` is the second of two equal times. */
  readonly isSecond: boolean;
  readonly zone: string;
  /** Whether AI polish is asked for when it goes out; null leaves that to connection and account. */
  readonly rewrite: boolean | null;
  /** Drafts of the service that hold this text, by the id of their connection. */
  readonly drafts: Readonly<Record<string, string>>;
  /** What the latest save without a failure stored, as {@link contentKey} gives it; null when nothing was saved. */
  readonly savedAs: string | null;
  /** What the drafts hold, newest first: one whose replacement was refused holds what was saved earlier. */
  readonly saves: readonly SavedDrafts[];
  /** Null when there are none, and when the person has sent the text nevertheless. */
  readonly lostDrafts: LostDrafts | null;
  /** Null unless the post of a request is edited. */
  readonly approval: WaitingApproval | null;
  readonly pending: Pending | null;
}

export function newComposition(): Composition {
  return {
    id: [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    text: '',
    variants: {},
    thread: [],
    firstComment: null,
    tags: '',
    images: [],
    targets: [],
    when: 'now',
    time: '',
    isSecond: false,
    zone: ZONE,
    rewrite: null,
    drafts: {},
    savedAs: null,
    saves: [],
    lostDrafts: null,
    approval: null,
    pending: null,
  };
}

/** Whether nothing would be lost with it. Chosen connections and a time are no work. */
export function isBlank({ text, variants, thread, firstComment, tags, images, pending, drafts }: Composition): boolean {
  const words = [text, ...Object.values(variants), ...thread, firstComment ?? '', tags];
  const hasNoDraft = Object.keys(drafts).length === 0;
  return words.every((word) => word.trim() === '') && images.length === 0 && pending === null && hasNoDraft;
}

/** What a person writes of a post, without time and connections. */
export type Content = Pick<
  Composition,
  'text' | 'variants' | 'thread' | 'firstComment' | 'tags' | 'images' | 'rewrite'
>;

/** The content that a draft of the service holds, to compare. */
export function contentKey(composition: Composition): string {
  const { text, variants, thread, firstComment, tags, images, targets, rewrite } = composition;
  return JSON.stringify([text, variants, thread, firstComment, tags, images, targets.toSorted(), rewrite]);
}

/** The content of which {@link contentKey} gave this. */
export function contentIn(key: string): Content {
  const [text, variants, thread, firstComment, tags, images, , rewrite] = JSON.parse(key) as [
    Content['text'],
    Content['variants'],
    Content['thread'],
    Content['firstComment'],
    Content['tags'],
    Content['images'],
    Composition['targets'],
    Content['rewrite'],
  ];
  return { text, variants, thread, firstComment, tags, images, rewrite };
}

/** Whether {@link contentKey} gave this for what is written; connections do not count. */
export function isWrittenAs(composition: Composition, key: string): boolean {
  return JSON.stringify(contentIn(contentKey(composition))) === JSON.stringify(contentIn(key));
}

/** Tags as typed, apart. The service trims, lowercases and checks them. */
export function tagsOf(typed: string): string[] {
  return typed.split(/[\s,]+/).filter((tag) => tag !== '');
}
