/**
 * Lets React Aria clear an element with an empty markup, and nothing else: the page's policy allows markup only from here
 * (docs/contract/errors-and-limits.md#headers).
 */

interface PolicyFactory {
  createPolicy(name: string, rules: { createHTML(markup: string): string }): unknown;
}

const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };

trustedTypes?.createPolicy('default', {
  createHTML: (markup) => {
    if (markup !== '') throw new TypeError('The console writes no markup.');
    return markup;
  },
});
