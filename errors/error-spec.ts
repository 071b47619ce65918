/** The type of a row in the table of error codes. */

/** The meaning of a code for the caller and for the surfaces that return it. */
export interface ErrorSpec {
  /** HTTP status of the response. */
  readonly status: number;
  /** The tRPC code that typed clients see in addition to the service's code. */
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
  /** Default message, for throwers without a more specific one. */
  readonly message: string;
  /** What the caller can do about it. */
  readonly hint: string;
  /** True when the same request may succeed later unchanged, unless the thrower says otherwise. */
  readonly retryable: boolean;
  /** When some occurrences are retryable although the code is not, as the end of a sentence that begins with "Only". */
  readonly retryableWhen?: string;
  /** True when the body repeats the request id as `req_id`. */
  readonly reportsRequestId?: true;
  /** True when the operator has to see the cause: the surface that answers with this code logs it. */
  readonly isLogged?: true;
  /** True when a draft stays a draft if publishing it is refused with this code (docs/contract/posts.md#statuses). */
  readonly keepsDraft?: true;
}
