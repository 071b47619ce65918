/** A profile as the API returns it (docs/contract/profiles-and-keys.md#profiles). */
import type { Profile } from '../../entities/profile.ts';
import { timestamp } from '../timestamp.ts';

export interface ProfileView {
  id: string;
  name: string;
  externalId: string | null;
  createdAt: string;
}

export function profileView({ id, name, externalId, createdAt }: Profile): ProfileView {
  return { id, name, externalId: externalId ?? null, createdAt: timestamp(createdAt) };
}
