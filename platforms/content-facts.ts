/** A platform's limits for texts and images. */
import type { PlatformEndpoints } from './settings.ts';

/** How a platform counts the length of a text. */
export interface TextUnit {
  /** Name of the unit in GET /platforms. */
  readonly name: string;
  /** What is counted, as error messages say it. */
  readonly plural: string;
  readonly count: (text: string) => number;
}

/** Maximum length of a text and the unit that counts it. */
export interface TextFacts {
  /** Maximum length in `unit`. */
  readonly maxLength: number;
  readonly unit: TextUnit;
  /** Maximum size in UTF-8 bytes, if the platform limits that too. */
  readonly maxBytes?: number;
  /** Length that every http(s) link counts as, if links do not count in full. */
  readonly urlLength?: number;
  /** Counts the messages into which a text is split, each of which is paid for; absent if it stays whole. */
  readonly segments?: (text: string) => number;
  /** Maximum number of hashtags, if the platform limits them. */
  readonly maxHashtags?: number;
  /** Maximum number of mentions (`@name`), if the platform limits them. */
  readonly maxMentions?: number;
}

/** The images that a platform accepts. */
export interface ImageFacts {
  /** Minimum number of images in a post, if there is one. */
  readonly min?: number;
  /** Maximum number of images in a post. */
  readonly max: number;
  /** Maximum bytes of one image. */
  readonly maxBytes: number;
  /** Media types that the platform accepts without conversion. */
  readonly types: readonly string[];
  /** Additional media types that it accepts when the image is the only one of its post. */
  readonly typesAlone?: readonly string[];
  /** Maximum characters of alt text; null when the platform has none and drops it. */
  readonly altTextMax: number | null;
  /** Maximum pixels of one image, if the platform limits them. */
  readonly maxPixels?: number;
  /** Further limits of a GIF, if the platform has any. One beyond them is sent as a still picture of another type. */
  readonly gif?: { readonly maxPixels?: number; readonly maxFrames?: number };
  /** Limits of the width in pixels, if the platform has any. */
  readonly maxWidth?: number;
  /** Limits of the height in pixels, if the platform has any. */
  readonly maxHeight?: number;
  /** Width divided by height, from the narrowest to the widest, if the platform limits it. */
  readonly ratio?: RatioFacts;
  /**
   * Name of the setting with the platform's server, if that server fetches images from this install by their
   * public URLs. Absent if images are uploaded.
   */
  readonly fetchedBy?: keyof PlatformEndpoints;
}

/** A range of aspect ratios, each also in the form that people write. */
interface RatioFacts {
  readonly min: number;
  readonly max: number;
  /** E.g. `4:5 to 1.91:1`. */
  readonly words: string;
}
