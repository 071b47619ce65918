/** People of an account and their invitations on the wire of the console (docs/contract/agents.md#people). */
import { z } from 'zod';
import { ROLES } from '../../entities/owner.ts';
import { PASSWORD_MAX_BYTES } from '../../services/people/new-password.ts';
import type { InvitationView } from '../../services/people/invite-person.ts';
import { textInput, timestampOutput, uuidOutput } from './common.ts';

export const RoleInput = z.enum(ROLES).describe('Viewers read, editors post, owners do the rest.');

/** The password of the person who calls. A longer one than any that is allowed is refused as wrong. */
export const OwnPassword = textInput(PASSWORD_MAX_BYTES).describe('The current password of the calling person.');

export const Invitation = z.strictObject({
  id: uuidOutput('Id of the invitation'),
  email: z.string().meta({ description: 'Address of the invited person' }),
  role: z.enum(ROLES),
  createdAt: timestampOutput('When the person was invited'),
  expiresAt: timestampOutput('When the link stops working'),
});

export function invitationAnswer({ createdAt, expiresAt, ...invitation }: InvitationView): z.infer<typeof Invitation> {
  return { ...invitation, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}
