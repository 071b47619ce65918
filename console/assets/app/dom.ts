/** Creates and finds elements. External values become text or attributes, never markup. */

type Attributes = Readonly<Record<string, string | boolean>>;
type Child = Node | string | null;

/** Creates an element; `true` sets an attribute without a value, `false` omits it. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Creates a button that cannot be pressed again while its action is in progress. */
export function button(
  label: string,
  attributes: Attributes,
  onPress: (self: HTMLButtonElement) => unknown,
): HTMLButtonElement {
  const made = el('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', () => void whileBusy(made, async () => onPress(made)));
  return made;
}

/** Runs `work` with the button marked busy; presses in the meantime have no effect. */
export async function whileBusy(target: HTMLButtonElement, work: () => Promise<unknown>): Promise<void> {
  if (target.getAttribute('aria-busy') === 'true') return;
  // Not `disabled`, because that would drop the keyboard focus.
  target.setAttribute('aria-busy', 'true');
  target.setAttribute('aria-disabled', 'true');
  try {
    await work();
  } finally {
    target.removeAttribute('aria-busy');
    target.removeAttribute('aria-disabled');
  }
}

/** Returns the element with this id, which must exist. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} called ${id}`);
  return found;
}

/** A link to another site, opened in a new tab; plain text when the URL is not http(s). */
export function outsideLink(address: string, text: string): HTMLElement {
  const url = URL.parse(address);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return el('span', {}, address);
  const newTab = el('span', { class: 'sr-only' }, ' (opens in a new tab)');
  return el('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer' }, text, newTab);
}
