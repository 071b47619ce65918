/** How a person ticks a box or picks a choice: by a press on its label, which has to stand still. */
import type { Locator } from 'playwright-core';

/** @param input a checkbox or radio button, which its label covers; `check` would press where it was before the page moved */
export function pressLabel(input: Locator): Promise<void> {
  return input.locator('xpath=ancestor::label').click();
}
