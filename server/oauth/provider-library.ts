/**
 * Loads oidc-provider without its warning about the runtime. The library recognises a Node.js by the name of its
 * long-term release, and the bundled one has none. A start writes one line to standard error when it is refused, and
 * nothing otherwise.
 */
const { warn } = console;
console.warn = (...said: unknown[]) => {
  if (!String(said[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...said);
};
const library = await import('oidc-provider');
console.warn = warn;

export const { errors, interactionPolicy, Provider } = library;
export type Provider = InstanceType<typeof Provider>;
