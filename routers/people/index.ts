/** Operations that only a signed-in person can call, with the console. They have no REST path and no tool. */
import { router } from '../procedures.ts';
import { changeDigest } from './change-digest.ts';
import { changePassword } from './change-password.ts';
import { changeRole } from './change-role.ts';
import { createKey } from './create-key.ts';
import { endSignIn } from './end-sign-in.ts';
import { getDigest } from './get-digest.ts';
import { getSession } from './get-session.ts';
import { invitePerson } from './invite-person.ts';
import { leaveAccount } from './leave-account.ts';
import { listGrants } from './list-grants.ts';
import { listInvitations } from './list-invitations.ts';
import { listPasskeys } from './list-passkeys.ts';
import { listPeople } from './list-people.ts';
import { listScopes } from './list-scopes.ts';
import { listSignIns } from './list-sign-ins.ts';
import { readSettings } from './read-settings.ts';
import { removePasskey } from './remove-passkey.ts';
import { removePerson } from './remove-person.ts';
import { revokeGrant } from './revoke-grant.ts';
import { withdrawInvitation } from './withdraw-invitation.ts';

export const peopleRouter = router({
  session: getSession,
  list: listPeople,
  invite: invitePerson,
  listInvitations,
  withdrawInvitation,
  changeRole,
  remove: removePerson,
  leave: leaveAccount,
  changePassword,
  listSignIns,
  endSignIn,
  listPasskeys,
  removePasskey,
  createKey,
  listScopes,
  listGrants,
  revokeGrant,
  readSettings,
  getDigest,
  changeDigest,
});
