/** The form that connects an account: shows the fields of a platform and reads the input. */
import type { ConnectInput } from './api.ts';

/** Shows the fields of the selected platform. Returns a function that resets the form. */
export function setUpConnectForm(form: HTMLFormElement): () => void {
  const show = () => {
    const chosen = new FormData(form).get('platformId');
    for (const login of form.querySelectorAll<HTMLFieldSetElement>('fieldset.login')) {
      login.hidden = login.dataset['platform'] !== chosen;
      // A disabled fieldset is neither validated nor submitted.
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

/** Reads the input; empty fields are left out. */
export function readConnectForm(form: HTMLFormElement): ConnectInput {
  const typed = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()] as const);
  const { platformId = '', slug, ...credentials } = Object.fromEntries(typed.filter(([, value]) => value !== ''));
  return { platformId, credentials, ...(slug === undefined ? {} : { slug }) };
}
