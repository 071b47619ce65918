/** The shape of a row of the table of error codes. */

/** What a code means to the caller and to the surfaces that carry it. */
export interface ErrorSpec {
  /** HTTP status of the answer. */
  readonly status: number;
  /** The tRPC code typed clients see beside ours. */
  readonly trpc:
    | 'BAD_REQUEST'
    | 'UNAUTHORIZED'
    | 'PAYMENT_REQUIRED'
    | 'FORBIDDEN'
    | 'NOT_FOUND'
    | 'METHOD_NOT_SUPPORTED'
    | 'CONFLICT'
    | 'PAYLOAD_TOO_LARGE'
    | 'UNSUPPORTED_MEDIA_TYPE'
    | 'UNPROCESSABLE_CONTENT'
    | 'TOO_MANY_REQUESTS'
    | 'INTERNAL_SERVER_ERROR'
    | 'SERVICE_UNAVAILABLE';
  /** The sentence used when the thrower has nothing more specific to say. */
  readonly message: string;
  /** What the caller can do about it. */
  readonly hint: string;
  /** True when the very same request may succeed later without being changed, unless the thrower says otherwise. */
  readonly retryable: boolean;
  /** When single occurrences are retryable although the code is not, as the end of a sentence that begins with "Only". */
  readonly retryableWhen?: string;
  /** True when the body repeats the request id as `req_id`. */
  readonly reportsRequestId?: true;
  /** True when a draft that is refused with it when published stays a draft (docs/contract/posts.md#statuses). */
  readonly keepsDraft?: true;
}
