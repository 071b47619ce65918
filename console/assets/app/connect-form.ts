/** The form that connects an account: which fields it shows, and what it sends. */
import type { ConnectInput } from './api.ts';

/** Shows the fields of the chosen platform. Gives what empties the form. */
export function setUpConnectForm(form: HTMLFormElement): () => void {
  const show = () => {
    const chosen = new FormData(form).get('platformId');
    for (const login of form.querySelectorAll<HTMLFieldSetElement>('fieldset.login')) {
      login.hidden = login.dataset['platform'] !== chosen;
      // Fields of a disabled set are neither required nor sent.
      login.disabled = login.hidden;
    }
  };
  show();
  form.addEventListener('change', show);
  return () => {
    form.reset();
    show();
  };
}

/** What was typed; fields left empty are left out. */
export function readConnectForm(form: HTMLFormElement): ConnectInput {
  const typed = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()] as const);
  const { platformId = '', slug, ...credentials } = Object.fromEntries(typed.filter(([, value]) => value !== ''));
  return { platformId, credentials, ...(slug === undefined ? {} : { slug }) };
}
