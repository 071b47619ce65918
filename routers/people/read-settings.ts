/** people.readSettings: the settings of the install without secrets, and what each platform still needs. */
import { z } from 'zod';
import { readSettings as read } from '../../services/settings/read-settings.ts';
import { ownerProcedure } from '../procedures.ts';

const Setting = z.strictObject({
  name: z.string(),
  meaning: z.string().meta({ description: 'What it does, with names in backticks' }),
  isSecret: z.boolean(),
  isSet: z.boolean(),
  value: z.string().nullable().meta({ description: 'The value or the default; null for a secret' }),
});

const PlatformSetup = z.strictObject({
  id: z.string(),
  name: z.string(),
  isReady: z.boolean(),
  missingSettings: z.array(z.string()),
  optionalSettings: z.array(z.string()),
  registerAppAt: z.string().nullable(),
  redirectUri: z.string().nullable(),
  docs: z.string(),
});

export const readSettings = ownerProcedure
  .input(z.strictObject({}))
  .output(
    z.strictObject({
      version: z.string(),
      publicUrl: z.string(),
      groups: z.array(z.strictObject({ title: z.string(), settings: z.array(Setting) })),
      platforms: z.array(PlatformSetup),
    }),
  )
  .query(({ ctx }) => read(ctx.services));
