/** Sizes of images in words. Limits of the service are in MiB. */
import { LOCALE } from './times.ts';

const KIBIBYTE = 1_024;
const MEBIBYTE = 1_024 * KIBIBYTE;

const rounded = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });

/** Such as "812 KiB" or "2.4 MiB". */
export function bytesInWords(bytes: number): string {
  if (bytes >= MEBIBYTE) return `${rounded.format(bytes / MEBIBYTE)} MiB`;
  return `${rounded.format(Math.ceil(bytes / KIBIBYTE))} KiB`;
}
