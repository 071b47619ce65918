/** The fields that each platform asks for when an account is linked with credentials, for the console. */
import { missingSettings } from '../services/connections/missing-settings.ts';
import type { Context } from '../services/context.ts';
import { type CredentialField, credentialFields } from '../services/platforms/credential-fields.ts';

/** The fields of one platform. */
export interface ConnectFields {
  readonly platformId: string;
  readonly name: string;
  /** What to know when there is no field. */
  readonly description: string;
  readonly fields: readonly CredentialField[];
}

/** The platforms of this install that take credentials. */
export function connectFields(context: Context): ConnectFields[] {
  return Object.values(context.platforms)
    .filter((platform) => platform.connect.includes('credentials') && missingSettings(context, platform).length === 0)
    .map(({ id, name, credentials }) => ({
      platformId: id,
      name,
      description: credentials.description ?? 'Nothing is asked for.',
      fields: credentialFields(credentials),
    }));
}
