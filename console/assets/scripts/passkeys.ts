/**
 * Passkeys on the owner pages: asks the device and submits its response with the page's form. Without a passkey,
 * passwords work.
 */

type Options = PublicKeyCredentialCreationOptionsJSON & PublicKeyCredentialRequestOptionsJSON;

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) offer(form);

/** Shows the form if the browser supports passkeys. */
function offer(form: HTMLFormElement): void {
  if (typeof PublicKeyCredential !== 'function' || !('parseCreationOptionsFromJSON' in PublicKeyCredential)) return;
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void ask(form);
  });
}

async function ask(form: HTMLFormElement): Promise<void> {
  const problem = form.querySelector<HTMLElement>('[role=alert]');
  try {
    const credential = await credentialFor(form, await optionsFor(form));
    if (!(credential instanceof PublicKeyCredential)) throw new Error('The device gave no passkey.');
    for (const typed of form.querySelectorAll<HTMLInputElement>('input[type=password]')) typed.disabled = true;
    const answer = form.querySelector<HTMLInputElement>('input[name=answer]');
    if (answer !== null) answer.value = JSON.stringify(credential.toJSON());
    form.submit();
  } catch (error) {
    if (problem !== null) problem.textContent = sentence(error);
  }
}

/** Requests the challenge to sign; if the form has a password, the server checks it. */
async function optionsFor(form: HTMLFormElement): Promise<Options> {
  const fields = [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']);
  const body = new URLSearchParams(fields);
  const response = await fetch(form.dataset['passkey'] ?? '', { method: 'POST', body });
  const said = (await response.json().catch(() => ({}))) as { options?: Options; problem?: string };
  if (said.options === undefined) throw new Error(said.problem ?? 'That did not work. Open the page again.');
  return said.options;
}

function credentialFor(form: HTMLFormElement, options: Options): Promise<Credential | null> {
  if (form.dataset['adds'] === undefined) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return navigator.credentials.get({ publicKey });
  }
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return navigator.credentials.create({ publicKey });
}

function sentence(error: unknown): string {
  if (!(error instanceof DOMException)) return error instanceof Error ? error.message : String(error);
  if (error.name === 'InvalidStateError') return 'This device has a passkey here already.';
  return 'The device gave no passkey: it was cancelled, or there is none.';
}
