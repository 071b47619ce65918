/** people.changeDigest: turns the weekly digest of the calling owner on or off, and sets its time zone. */
import { z } from 'zod';
import { changeDigest as change } from '../../services/digests/digest-setting.ts';
import { ownerProcedure } from '../procedures.ts';
import { timeZoneInput } from '../schemas/common.ts';
import { Digest, digestAnswer } from '../schemas/digest.ts';

export const changeDigest = ownerProcedure
  .input(
    z.strictObject({
      isOn: z.boolean().optional().describe('Whether mails go to the calling owner.'),
      timezone: timeZoneInput().optional().describe('IANA zone in which its Monday begins.'),
    }),
  )
  .output(z.strictObject({ digest: Digest }))
  .mutation(async ({ ctx, input }) => ({
    digest: digestAnswer(await change(ctx.services, ctx.person, input, ctx.visit)),
  }));
