/**
 * With `node --import`: takes what Node.js 20.12 does not have from the package `carillon`, and leaves it to Node.js, whose own
 * modules use it.
 */
import { NEWER_GLOBALS, NEWER_METHODS, NEWER_METHODS_WITH_OLDER_NAMES, NEWER_STATICS } from './newer-apis.ts';

/** Whether the code that reads a property is the package. */
function isReadByPackage(): boolean {
  // Below the message, this function and the property.
  return new Error('read').stack?.split('\n')[3]?.includes('/carillon.js') === true;
}

function hide(api: string): void {
  const names = api.split('.');
  const name = names.pop() ?? '';
  let owner: object | undefined = globalThis;
  for (const key of names) owner = owner && (Reflect.get(owner, key) as object | undefined);
  const property = owner && Object.getOwnPropertyDescriptor(owner, name);
  // An older Node.js has none.
  if (owner === undefined || property === undefined) return;
  const present = () => (property.get === undefined ? (property.value as unknown) : property.get.call(owner));
  Object.defineProperty(owner, name, {
    configurable: true,
    get: () => (isReadByPackage() ? undefined : present()),
  });
}

for (const api of [...NEWER_STATICS, ...NEWER_GLOBALS, ...NEWER_METHODS, ...NEWER_METHODS_WITH_OLDER_NAMES]) hide(api);
