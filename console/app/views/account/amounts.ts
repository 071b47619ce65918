/** Amounts of the account in words. The service counts fees in US cents and images in bytes. */
import { LOCALE } from '../../ui/times.ts';

const dollars = new Intl.NumberFormat(LOCALE, { style: 'currency', currency: 'USD' });
const decimal = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });

/** Such as "$12.50". */
export function money(cents: number): string {
  return dollars.format(cents / 100);
}

/** Such as "12.5 MiB". */
export function mebibytes(bytes: number): string {
  return `${decimal.format(bytes / 1_048_576)} MiB`;
}

/** Dollars as typed, such as "12.50", in cents. Null when it is no amount. */
export function centsOf(typed: string): number | null {
  const text = typed.trim();
  return /^\d{1,6}([.,]\d{1,2})?$/.test(text) ? Math.round(Number(text.replace(',', '.')) * 100) : null;
}
