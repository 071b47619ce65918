/** people.getDigest: whether the calling owner gets the weekly digest, and when. */
import { z } from 'zod';
import { readDigestSetting } from '../../services/digests/digest-setting.ts';
import { ownerProcedure } from '../procedures.ts';
import { Digest, digestAnswer } from '../schemas/digest.ts';

export const getDigest = ownerProcedure
  .input(z.strictObject({}))
  .output(z.strictObject({ digest: Digest }))
  .query(async ({ ctx }) => ({ digest: digestAnswer(await readDigestSetting(ctx.services, ctx.person)) }));
