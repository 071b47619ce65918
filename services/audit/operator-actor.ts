/** Whoever has the operator's token, or sets the environment of the install. */
import type { Actor } from '../keys/caller.ts';

export const OPERATOR_ACTOR: Actor = { kind: 'operator', id: 'operator', name: 'operator' };
