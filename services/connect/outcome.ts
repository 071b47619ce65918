/** What a step on the hosted page came to. */

/** How often a session may try a login: a person needs a few, whoever guesses passwords needs many. */
export const TRIES_MAX = 20;

export type Outcome =
  /** The session has ended, now or before. */
  | { readonly kind: 'ended' }
  /** The customer goes to the platform's own page. */
  | { readonly kind: 'away'; readonly url: string }
  /** Nothing came of it, for a reason that the customer can read; the session is still open. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The platform has agreed to several accounts, of which the customer picks one. */
  | { readonly kind: 'choose' };
