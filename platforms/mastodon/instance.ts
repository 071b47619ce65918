/** Reads the name and the limits of a Mastodon server. */
import { z } from 'zod';
import type { ConnectionLimits, ImageFacts, PlatformIo } from '../contract.ts';
import { type Access, callMastodon, failure } from './api.ts';
import { isTemporary } from '../http.ts';

const Length = z.number().int().positive();

/** The fields that both versions of the document share. Each may be missing on some servers. */
const Instance = z.object({
  domain: z.string().optional().catch(undefined),
  uri: z.string().optional().catch(undefined),
  configuration: z
    .object({
      statuses: z
        .object({
          max_characters: Length.optional().catch(undefined),
          characters_reserved_per_url: Length.optional().catch(undefined),
          max_media_attachments: Length.optional().catch(undefined),
        })
        .optional()
        .catch(undefined),
      media_attachments: z
        .object({
          supported_mime_types: z.array(z.string()).optional().catch(undefined),
          image_size_limit: Length.optional().catch(undefined),
          image_matrix_limit: Length.optional().catch(undefined),
          description_limit: Length.optional().catch(undefined),
        })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
  max_toot_chars: Length.optional().catch(undefined),
});

export interface InstanceFacts {
  /** The domain of account names; `social.example.org` may host accounts of `example.org`. */
  readonly domain: string;
  readonly limits?: ConnectionLimits;
}

/**
 * Requests the newer endpoint, then the older one. If neither exists, the platform's defaults apply.
 *
 * @throws PlatformFailure when the server is busy: it may have other limits than the defaults
 */
export async function readInstance(io: PlatformIo, access: Access): Promise<InstanceFacts> {
  const { host } = new URL(access.origin);
  for (const path of ['/api/v2/instance', '/api/v1/instance']) {
    const answer = await callMastodon(io, access, path);
    if (isTemporary(answer)) throw failure(answer);
    const instance = Instance.safeParse(answer.body);
    if (answer.status !== 200 || !instance.success) continue;
    const { configuration, max_toot_chars: fork, domain, uri } = instance.data;
    const maxLength = configuration?.statuses?.max_characters ?? fork;
    const urlLength = configuration?.statuses?.characters_reserved_per_url;
    const text = given({ maxLength, urlLength });
    const images = imageLimits(configuration);
    const limits = { ...(text !== undefined && { text }), ...(images !== undefined && { images }) };
    return { domain: ownDomain(host, domain ?? uri), ...(Object.keys(limits).length > 0 && { limits }) };
  }
  return { domain: host };
}

/** The server's limits for images. A list of types without any image type does not apply to images. */
function imageLimits(configuration: z.infer<typeof Instance>['configuration']): Partial<ImageFacts> | undefined {
  const media = configuration?.media_attachments;
  const types = media?.supported_mime_types?.filter((type) => type.startsWith('image/'));
  return given({
    max: configuration?.statuses?.max_media_attachments,
    maxBytes: media?.image_size_limit,
    maxPixels: media?.image_matrix_limit,
    altTextMax: media?.description_limit,
    types: types?.length === 0 ? undefined : types,
  });
}

/** The fields that have a value; undefined when none has. */
function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } | undefined {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length === 0
    ? undefined
    : (Object.fromEntries(entries) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> });
}

/** A server may claim only its own host and the domains above it. */
function ownDomain(host: string, said: string | undefined): string {
  return said !== undefined && said.includes('.') && host.endsWith(`.${said}`) ? said : host;
}
