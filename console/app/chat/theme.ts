/** Follows the theme of the chat, which may differ from that of the system. */

const DARK = /\(prefers-color-scheme:\s*dark\)/;

/** Conditions as they are written in the styles, by rule: a theme replaces them. */
const written = new Map<CSSMediaRule, string>();

/**
 * Makes the rules for dark systems count for a dark chat. The tokens have one place for the colors of each scheme, and
 * they are chosen by the system there.
 */
export function applyTheme(theme: 'light' | 'dark'): void {
  document.documentElement.style.colorScheme = theme;
  for (const rule of schemeRules()) {
    const condition = written.get(rule) ?? rule.media.mediaText;
    written.set(rule, condition);
    rule.media.mediaText = condition.replace(DARK, theme === 'dark' ? '(min-width: 0px)' : '(max-width: 0px)');
  }
}

function schemeRules(): CSSMediaRule[] {
  if (written.size > 0) return [...written.keys()];
  return [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSMediaRule && DARK.test(rule.media.mediaText)) as CSSMediaRule[];
}
