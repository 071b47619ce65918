/** Counts the segments into which networks split a message, each of which is paid for. Pure. */

/** Characters of one unit in the GSM 03.38 alphabet; any other character requires UCS-2. */
const GSM =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

/** Characters of two units in that alphabet. */
const GSM_EXTENDED = '\f^{}\\[~]|€';

/** Units of a single message, and of each segment of a split one, in which a header takes the rest. */
interface Capacity {
  readonly alone: number;
  readonly each: number;
}

const SEPTETS: Capacity = { alone: 160, each: 153 };
const UCS_2: Capacity = { alone: 70, each: 67 };

/**
 * @returns at least 1
 * @see https://www.twilio.com/docs/glossary/what-sms-character-limit
 */
export function countSegments(text: string): number {
  const signs = [...text];
  const isGsm = signs.every((sign) => GSM.includes(sign) || GSM_EXTENDED.includes(sign));
  if (isGsm)
    return fill(
      signs.map((sign) => (GSM_EXTENDED.includes(sign) ? 2 : 1)),
      SEPTETS,
    );
  return fill(
    signs.map(({ length }) => length),
    UCS_2,
  );
}

/** A segment never ends inside a character of two units. */
function fill(units: readonly number[], { alone, each }: Capacity): number {
  if (units.reduce((sum, unit) => sum + unit, 0) <= alone) return 1;
  let segments = 1;
  let used = 0;
  for (const unit of units) {
    if (used + unit > each) {
      segments += 1;
      used = 0;
    }
    used += unit;
  }
  return segments;
}
