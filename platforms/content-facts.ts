/** What a platform says of the texts and images that it takes. */
import type { PlatformEndpoints } from './settings.ts';
import type { TextUnit } from './text.ts';

/** How long a text may be and how its length is counted. */
export interface TextFacts {
  /** Largest length in `unit`. */
  readonly maxLength: number;
  readonly unit: TextUnit;
  /** Largest size in UTF-8 bytes, where the platform limits that too. */
  readonly maxBytes?: number;
  /** Length that every http(s) link counts as, where links do not count in full. */
  readonly urlLength?: number;
  /** Into how many messages a text is cut, each of which is paid for; absent where it stays whole. */
  readonly segments?: (text: string) => number;
  /** Hashtags a text may have, where the platform limits them. */
  readonly maxHashtags?: number;
  /** Mentions (`@name`) a text may have, where the platform limits them. */
  readonly maxMentions?: number;
}

/** Which images a platform takes. */
export interface ImageFacts {
  /** Images a post must carry, where it must. */
  readonly min?: number;
  /** Images a post may carry. */
  readonly max: number;
  /** Bytes of one image. */
  readonly maxBytes: number;
  /** Media types the platform takes as they are. */
  readonly types: readonly string[];
  /** Media types it takes besides, when the image is the only one of its post. */
  readonly typesAlone?: readonly string[];
  /** Characters of alt text; null when the platform has none and drops it. */
  readonly altTextMax: number | null;
  /** Pixels of one image, where the platform limits them. */
  readonly maxPixels?: number;
  /** Pixels from side to side, where the platform limits them. */
  readonly maxWidth?: number;
  /** Pixels from top to bottom, where the platform limits them. */
  readonly maxHeight?: number;
  /** Width over height, from the narrowest to the widest, where the platform limits it. */
  readonly ratio?: RatioFacts;
  /**
   * The setting that names the platform's server, where that server fetches images from this install by
   * their public address; absent where images are uploaded.
   */
  readonly fetchedBy?: keyof PlatformEndpoints;
}

/** A range of shapes, each also as people write it. */
interface RatioFacts {
  readonly min: number;
  readonly max: number;
  /** E.g. `4:5 to 1.91:1`. */
  readonly words: string;
}
