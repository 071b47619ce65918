/** An API key as the wire shows it (spec: API key): everything but its secret. */
import type { ApiKey } from '../../entities/api-key.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';

export interface KeyView {
  id: string;
  name: string;
  type: 'live' | 'test';
  prefix: string;
  profileId: string | null;
  redirectAllowlist: string[] | null;
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

export function keyView(key: ApiKey): KeyView {
  const { id, name, type, prefix } = key;
  return {
    id,
    name,
    type,
    prefix,
    profileId: key.profileId ?? null,
    redirectAllowlist: key.redirectAllowlist ?? null,
    createdAt: timestamp(key.createdAt),
    lastUsedAt: timestampOrNull(key.lastUsedAt ?? null),
    revokedAt: timestampOrNull(key.revokedAt ?? null),
  };
}
