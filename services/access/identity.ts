/** Who a caller is in posts and approvals: a key, an OAuth grant or a person. */
import type { ApprovalActor } from '../../entities/approval-actors.ts';
import type { Caller } from './caller.ts';

/** Stored with its name, which stays when the key or grant is gone. */
export interface Identity {
  readonly kind: ApprovalActor;
  /** Id of the key, the grant or the person. */
  readonly id: string;
  readonly name: string;
}

const KINDS = { key: 'key', oauth_client: 'grant', person: 'person', customer: 'key', operator: 'person' } as const;

export function identityOf({ keyId, actor }: Pick<Caller, 'keyId' | 'actor'>): Identity {
  return { kind: KINDS[actor.kind], id: keyId, name: actor.name };
}
