/** Who creates posts, asks for approval and decides on it, and who has to ask. */

/** Kinds of callers that ids in posts and approvals are of. */
export const APPROVAL_ACTORS = ['key', 'grant', 'person'] as const;
export type ApprovalActor = (typeof APPROVAL_ACTORS)[number];

/** Whether what a key or grant wants to send waits for a person. */
export const APPROVAL_RULES = ['none', 'required'] as const;
export type ApprovalRule = (typeof APPROVAL_RULES)[number];
