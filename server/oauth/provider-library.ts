/**
 * Loads oidc-provider with the first OAuth request, because most processes never serve one, and without its warning about the
 * runtime. The library recognises a Node.js by the name of its long-term release, and the bundled one has none. A start
 * writes one line to standard error when it is refused, and nothing otherwise.
 */
import type { Provider as ProviderType } from 'oidc-provider';

type Library = typeof import('oidc-provider');

export type Provider = ProviderType;

let loading: Promise<Library> | undefined;
let loaded: Library | undefined;

export function loadProviderLibrary(): Promise<Library> {
  return (loading ??= load());
}

/** The library, in code that runs with a provider. */
export function providerLibrary(): Library {
  if (loaded === undefined) throw new Error('a provider exists only after its library was loaded');
  return loaded;
}

async function load(): Promise<Library> {
  const { warn } = console;
  console.warn = (...said: unknown[]) => {
    if (!String(said[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...said);
  };
  try {
    loaded = await import('oidc-provider');
    return loaded;
  } finally {
    console.warn = warn;
  }
}
