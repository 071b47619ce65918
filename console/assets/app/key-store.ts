/** Stores the API key for the lifetime of the tab, and only in this tab. */

const NAME = 'carillon.key';

export function storedKey(): string | null {
  return sessionStorage.getItem(NAME);
}

export function storeKey(key: string): void {
  sessionStorage.setItem(NAME, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME);
}
