/** Builds and finds elements. Whatever comes from outside becomes text or an attribute, never markup. */

type Attributes = Readonly<Record<string, string | boolean>>;
type Child = Node | string | null;

/** Makes an element; `true` sets an attribute without a value, `false` leaves it out. */
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

/** Makes a button. While what it started is under way it can not be pressed again. */
export function button(
  label: string,
  attributes: Attributes,
  onPress: (self: HTMLButtonElement) => unknown,
): HTMLButtonElement {
  const made = el('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', () => void whileBusy(made, async () => onPress(made)));
  return made;
}

/** Runs `work` with the button marked busy; a press in the meantime does nothing. */
export async function whileBusy(target: HTMLButtonElement, work: () => Promise<unknown>): Promise<void> {
  if (target.getAttribute('aria-busy') === 'true') return;
  // Not `disabled`, which would throw the keyboard focus away.
  target.setAttribute('aria-busy', 'true');
  target.setAttribute('aria-disabled', 'true');
  try {
    await work();
  } finally {
    target.removeAttribute('aria-busy');
    target.removeAttribute('aria-disabled');
  }
}

/** The element with this id, which the page is known to have. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} called ${id}`);
  return found;
}

/** A link to another site, in a tab of its own; plain text when the address is not one of the web. */
export function outsideLink(address: string, text: string): HTMLElement {
  const url = URL.parse(address);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return el('span', {}, address);
  const newTab = el('span', { class: 'sr-only' }, ' (opens in a new tab)');
  return el('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer' }, text, newTab);
}
