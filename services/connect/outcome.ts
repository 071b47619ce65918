/** The outcome of a step on the hosted page. */

/** Maximum number of credential checks in a session: a person needs a few, a password guesser needs many. */
export const TRIES_MAX = 20;

export type Outcome =
  /** The session has ended, now or earlier. */
  | { readonly kind: 'ended' }
  /** Redirect the customer to the platform's own page. */
  | { readonly kind: 'away'; readonly url: string }
  /** The step failed for a reason that the customer can read; the session is still open. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The platform has granted several accounts, and the customer picks one. */
  | { readonly kind: 'choose' };
