/** Operations on profiles. */
import { router } from '../procedures.ts';
import { createProfile } from './create-profile.ts';
import { deleteProfile } from './delete-profile.ts';
import { getProfile } from './get-profile.ts';
import { getVoice } from './get-voice.ts';
import { listProfiles } from './list-profiles.ts';
import { setVoice } from './set-voice.ts';
import { updateProfile } from './update-profile.ts';

export const profilesRouter = router({
  create: createProfile,
  list: listProfiles,
  get: getProfile,
  update: updateProfile,
  delete: deleteProfile,
  voice: getVoice,
  setVoice,
});
