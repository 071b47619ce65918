/**
 * Keyboard shortcuts. Views add theirs with `useShortcuts`; `?` lists those that work at the moment. Shortcuts of a single
 * key can be switched off (WCAG 2.2, 2.1.4), and none of them works while a person types. None at all works while a dialog
 * is open.
 */
import { useEffect, useRef } from 'react';

export interface Shortcut {
  /** A key such as `j` or `?`, two in a row such as `g p`, or `mod+k` for Ctrl or Cmd. */
  readonly keys: string;
  readonly label: string;
  /** Heading under which it is listed. */
  readonly group: string;
  run(): void;
}

const OFF = 'carillon.shortcuts-off';

/** The second key of a pair must follow within this time. */
const PAIR_MS = 1_200;

/** What is open over the page. A toast has the role of a dialog too, and covers nothing. */
const DIALOGS = '[role=dialog], [role=alertdialog]:not([aria-modal=false])';

/** Of every component that is shown, the shortcuts that it has at the moment. */
const sets = new Set<{ readonly current: readonly Shortcut[] }>();

/** Adds shortcuts for as long as the component is shown. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    sets.add(latest);
    return () => void sets.delete(latest);
  }, []);
}

/** All shortcuts that work at the moment. */
export function listShortcuts(): readonly Shortcut[] {
  return [...sets].flatMap(({ current }) => current);
}

export function areSingleKeysOn(): boolean {
  return localStorage.getItem(OFF) === null;
}

export function setSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, 'yes');
}

/** Listens for shortcuts on the whole page. @returns ends it */
export function listenForShortcuts(): () => void {
  let first = '';
  let firstAt = 0;
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey || event.isComposing) return;
    if (document.querySelector(DIALOGS)) return;
    if (event.ctrlKey || event.metaKey) return void (runs(`mod+${event.key.toLowerCase()}`) && event.preventDefault());
    if (isTyping(event.target) || !areSingleKeysOn()) return;
    const isPair = first !== '' && event.timeStamp - firstAt < PAIR_MS;
    const ran = (isPair && runs(`${first} ${event.key}`)) || runs(event.key);
    first = ran ? '' : event.key;
    firstAt = event.timeStamp;
    if (ran) event.preventDefault();
  };
  window.addEventListener('keydown', onKey);
  return () => window.removeEventListener('keydown', onKey);
}

function runs(keys: string): boolean {
  const found = listShortcuts().findLast((shortcut) => shortcut.keys === keys);
  found?.run();
  return found !== undefined;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select');
}
