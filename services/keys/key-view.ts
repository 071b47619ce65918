/** An API key as the API returns it (docs/contract/profiles-and-keys.md#keys): everything but its secret. */
import type { ApprovalRule } from '../../entities/approval-actors.ts';
import type { ApiKey } from '../../entities/api-key.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';
import type { Scope } from '../access/scopes.ts';

export interface KeyView {
  id: string;
  name: string;
  type: 'live' | 'test';
  prefix: string;
  profileId: string | null;
  redirectAllowlist: string[] | null;
  /** Its scopes; null for no limit. */
  scopes: Scope[] | null;
  /** Whether what it wants to send waits for a person. */
  approval: ApprovalRule;
  /** The policy that its posts follow; null for none. */
  policyId: string | null;
  /**
   * The key that minted it, or the OAuth grant that it was created under; null when an owner or the operator created
   * it.
   */
  createdBy: { kind: 'key' | 'grant'; id: string } | null;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
}

export function keyView(key: ApiKey): KeyView {
  const { id, name, type, prefix } = key;
  return {
    id,
    name,
    type,
    prefix,
    profileId: key.profileId,
    redirectAllowlist: key.redirectAllowlist,
    scopes: key.scopes as Scope[] | null,
    approval: key.approval,
    policyId: key.policyId,
    createdBy: createdByOf(key),
    createdAt: timestamp(key.createdAt),
    lastUsedAt: timestampOrNull(key.lastUsedAt),
    expiresAt: timestampOrNull(key.expiresAt ?? null),
    revokedAt: timestampOrNull(key.revokedAt),
  };
}

function createdByOf({ createdByKeyId, grantId }: ApiKey): KeyView['createdBy'] {
  if (createdByKeyId !== null) return { kind: 'key', id: createdByKeyId };
  return grantId !== null ? { kind: 'grant', id: grantId } : null;
}
