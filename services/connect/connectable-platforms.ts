/** Lists the platforms whose accounts a customer can link on the hosted page of this install. */
import type { AnyPlatform } from '../../platforms/contract.ts';
import type { HostedConnect, OauthConnect } from '../../platforms/connect.ts';
import { PLATFORM_IDS, platformOf, TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';

// eslint-disable-next-line typescript/no-explicit-any -- as in AnyPlatform: the platform's own zod schema checks what is typed
type Hosted = HostedConnect<any>;

/** A platform that the hosted page offers. */
export interface HostedPlatform {
  readonly platform: AnyPlatform;
  readonly hosted: Hosted;
}

/** In display order. @param mode type of the key that created the session */
export function connectablePlatforms(context: Context, mode: 'live' | 'test'): HostedPlatform[] {
  const { apps, endpoints } = context.config;
  return PLATFORM_IDS.filter((id) => mode === 'live' || id === TEST_PLATFORM).flatMap((id) => {
    const platform = platformOf(context.platforms, id);
    const { hosted } = platform;
    if (hosted === null || hosted.oauth?.isSetUp(apps, endpoints) === false) return [];
    return [{ platform, hosted: withoutMissingApps(context, hosted) }];
  });
}

function withoutMissingApps(context: Context, { alternative, ...hosted }: Hosted): Hosted {
  const { apps, endpoints } = context.config;
  const isSetUp = alternative?.oauth.isSetUp(apps, endpoints) === true;
  return isSetUp ? { ...hosted, alternative } : hosted;
}

/** The platform's own authorization page, as the only method or the second one; undefined when it has none. */
export function pageOf({ hosted }: HostedPlatform): OauthConnect<unknown> | undefined {
  return hosted.oauth ?? hosted.alternative?.oauth;
}

/** The platform with its second method as the only one; undefined when it has none. */
export function byAlternative({ platform, hosted }: HostedPlatform): HostedPlatform | undefined {
  if (hosted.alternative === undefined) return undefined;
  const { fields, oauth } = hosted.alternative;
  return { platform, hosted: { fields, oauth } };
}

/** The platforms that a session offers: the one it names, or all that its key reaches. */
export function offeredPlatforms(
  context: Context,
  { platform: named, mode }: { readonly platform?: string | null | undefined; readonly mode: 'live' | 'test' },
): HostedPlatform[] {
  const all = connectablePlatforms(context, mode);
  return named === null || named === undefined ? all : all.filter(({ platform }) => platform.id === named);
}
