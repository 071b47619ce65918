/** Which platforms a customer can link an account of on the hosted page, on this install. */
import type { AnyPlatform } from '../../platforms/contract.ts';
import type { HostedConnect } from '../../platforms/hosted.ts';
import { PLATFORM_IDS, platformOf, TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';

/** A platform that the hosted page offers. */
export interface HostedPlatform {
  readonly platform: AnyPlatform;
  // eslint-disable-next-line typescript/no-explicit-any -- as in AnyPlatform: the platform's own zod schema checks what is typed
  readonly hosted: HostedConnect<any>;
}

/** In the order they are shown. @param mode type of the key that made the session */
export function connectablePlatforms(context: Context, mode: 'live' | 'test'): HostedPlatform[] {
  return PLATFORM_IDS.filter((id) => mode === 'live' || id === TEST_PLATFORM).flatMap((id) => {
    const platform = platformOf(context.platforms, id);
    const { hosted } = platform;
    if (hosted === null || hosted.oauth?.isSetUp(context.config.apps) === false) return [];
    return [{ platform, hosted }];
  });
}

/** What a session offers: the platform it names, or all that its key reaches. */
export function offeredPlatforms(
  context: Context,
  { platform: named, mode }: { readonly platform?: string | null | undefined; readonly mode: 'live' | 'test' },
): HostedPlatform[] {
  const all = connectablePlatforms(context, mode);
  return named === null || named === undefined ? all : all.filter(({ platform }) => platform.id === named);
}
