/** The error codes of changes to the people and keys of an account, a part of the table in codes.ts. */
import type { ErrorSpec } from './error-spec.ts';

export const ACCOUNT_ERRORS = {
  last_account_key: {
    status: 409,
    trpc: 'CONFLICT',
    message:
      'This is the last live key of an account that has no owner: without it, no program and no person reaches the account.',
    hint: 'Make another key first (npm run carillon -- key create --live), switch to it, then revoke this one.',
    retryable: false,
  },
  email_taken: {
    status: 409,
    trpc: 'CONFLICT',
    message: 'A person on this install already signs in with this email.',
    hint: 'Use another email. One email signs in to one account.',
    retryable: false,
  },
  last_owner: {
    status: 409,
    trpc: 'CONFLICT',
    message: 'This is the last owner of the account: without one, no one could manage it.',
    hint: 'Make another person an owner first.',
    retryable: false,
  },
} as const satisfies Record<string, ErrorSpec>;
