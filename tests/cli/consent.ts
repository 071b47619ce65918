/** What a person does at the address that `carillon login` prints. */
import type { signedInBrowser } from '../harness/owner.ts';
import { answered } from '../oauth/agents.ts';

type Browser = Awaited<ReturnType<typeof signedInBrowser>>;

/** Opens the address, presses the button, and lets the browser follow to the command line. */
export async function answerConsent(
  owner: Browser,
  address: string,
  { button = 'Allow', reach = 'account' } = {},
): Promise<void> {
  const { origin } = new URL(address);
  const asked = await owner.get(address.slice(origin.length));
  const consent = await owner.get((asked.location ?? '').replace(origin, ''));
  await fetch(await answered(owner, consent, { button, reach }));
}
