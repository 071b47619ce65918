/** What there is to preview in an answer: of a validation each connection, of a draft or a post itself. */
import type { Inputs, Outputs } from '../../data/api-types.ts';
import type { LookPart } from '../../ui/post-look.tsx';
import { changesInWords } from '../../views/compose/image-changes.ts';
import type { Arguments } from '../host.ts';

type Validation = Outputs['posts']['validate']['results'][number];
type Post = Outputs['posts']['update']['post'];
type PostDetail = Outputs['posts']['get']['post'];

/** The answer of `validate_post`, `update_draft` or `get_post`. */
export type PreviewAnswer = { readonly results: readonly Validation[] } | { readonly post: Post | PostDetail };

export interface Preview {
  readonly slug: string;
  readonly profileId: string | null;
  /** Null when the answer does not say. */
  readonly platformId: string | null;
  readonly parts: readonly LookPart[];
  /** One line for each image: a view loads none. */
  readonly images: readonly string[];
  /** What else there is to know, a line each. */
  readonly facts: readonly string[];
  readonly error: { readonly code: string; readonly message: string } | null;
  /** Of a post that is stored. */
  readonly status: Post['status'] | null;
  readonly url: string | null;
  readonly scheduledFor: string | null;
}

export function previewsOf(answer: PreviewAnswer, input: Arguments): Preview[] {
  if ('post' in answer) return [ofPost(answer.post, input)];
  return answer.results.map((validation) => ofValidation(validation, input));
}

function ofValidation(validation: Validation, input: Partial<Inputs['posts']['validate']>): Preview {
  const { connectionSlug: slug, text, error, scheduledFor } = validation;
  const profileId = input.profileId ?? null;
  return {
    slug,
    profileId,
    platformId: null,
    parts: partsOf(text, input.thread, input.firstComment),
    images: validation.images.map((image, index) => imageInWords(image, index, input.media?.[index]?.altText)),
    facts: factsOf(validation),
    error,
    status: null,
    url: null,
    scheduledFor,
  };
}

function ofPost(post: Post | PostDetail, input: Partial<Inputs['posts']['update']>): Preview {
  const { connectionSlug: slug, profileId, text, error, status, url, scheduledFor } = post;
  const isWhole = 'media' in post;
  const thread = isWhole ? post.thread : input.thread;
  const comment = isWhole ? post.firstComment : input.firstComment;
  return {
    slug,
    profileId,
    platformId: isWhole ? post.platformId : null,
    parts: partsOf(text, thread, comment),
    images: isWhole ? post.media.map((image, index) => imageInWords(image, index, image.altText)) : [],
    facts: [],
    error,
    status,
    url,
    scheduledFor: status === 'scheduled' ? scheduledFor : null,
  };
}

function partsOf(text: string, thread: readonly string[] = [], comment?: string | null): LookPart[] {
  return [
    { kind: 'Post', text },
    ...thread.map((reply): LookPart => ({ kind: 'Reply', text: reply })),
    ...(typeof comment === 'string' ? [{ kind: 'First comment', text: comment } as const] : []),
  ];
}

interface Image {
  readonly width: number;
  readonly height: number;
}

function imageInWords(image: Image | Validation['images'][number], index: number, altText?: string | null): string {
  const changes = 'changes' in image ? changesInWords(image) : null;
  const words = [`Image ${index + 1}, ${image.width} × ${image.height}`, altText ?? 'without alt text', changes];
  return words.filter((part) => part !== null).join(': ');
}

function factsOf({ length, maxLength, segments, parts }: Validation): string[] {
  const refused = parts.flatMap(({ reason }, index) =>
    reason === undefined ? [] : [`${index === 0 ? 'Post' : `Reply ${index}`}: ${reason}`],
  );
  const counted =
    length === null || maxLength === null ? [] : [`Length ${length} of ${maxLength}, as the platform counts`];
  return [...counted, ...(segments === undefined ? [] : [`SMS segments: ${segments}`]), ...refused];
}
