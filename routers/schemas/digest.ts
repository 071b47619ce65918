/** The weekly digest of an owner on the wire of the console. */
import { z } from 'zod';
import type { DigestSetting } from '../../services/digests/digest-setting.ts';
import { timestampOutput } from './common.ts';

export const Digest = z.strictObject({
  isOn: z.boolean(),
  timezone: z.string().meta({ description: 'IANA zone in which its Monday begins' }),
  nextAt: timestampOutput('When the next one is due; null when it is off or the install sends no mail').nullable(),
});

export function digestAnswer({ nextAt, ...setting }: DigestSetting): z.infer<typeof Digest> {
  return { ...setting, nextAt: nextAt?.toISOString() ?? null };
}
