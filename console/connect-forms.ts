/** Forms for the credentials of an account: one form per platform, generated from the platform's schema. */
import { z } from 'zod';
import type { Context } from '../services/context.ts';
import { missingSettings } from '../services/platforms/missing-settings.ts';
import { type Html, html } from './html.ts';

type Platform = Context['platforms'][keyof Context['platforms']];

/** One field of a credential. */
interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly required: boolean;
  readonly type: 'text' | 'password' | 'url';
}

/** Labels that differ from the API's field names. */
const LABELS: Readonly<Record<string, string>> = {
  identifier: 'Handle',
  instanceUrl: 'Server',
  pageId: 'Page number',
  chatId: 'Chat',
  webhookUrl: 'Webhook URL',
};

/** The part of a JSON Schema that the forms use. */
interface CredentialsSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string; readonly format?: string }>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

/** The platform selection and the credential fields of each. The browser shows the fields of the selected platform. */
export function connectForms(context: Context): Html {
  const platforms = Object.values(context.platforms).filter(
    (platform) => platform.connect.includes('credentials') && missingSettings(context, platform).length === 0,
  );
  return html`
    <fieldset class="choices">
      <legend>Platform</legend>
      ${platforms.map(
        ({ id, name }, index) => html`
          <label class="choice"
            ><input type="radio" name="platformId" value="${id}" ${index === 0 && html`checked`} /> ${name}</label
          >
        `,
      )}
    </fieldset>
    ${platforms.map((platform, index) => loginFields(platform, index === 0))}
  `;
}

function loginFields(platform: Platform, chosen: boolean): Html {
  const schema = z.toJSONSchema(platform.credentials, { io: 'input' }) as CredentialsSchema;
  const fields = Object.entries(schema.properties ?? {}).map(([name, { description = '', format }]): Field => {
    const type = /password|token|secret|webhook/i.test(name) ? 'password' : format === 'uri' ? 'url' : 'text';
    return {
      name,
      label: LABELS[name] ?? inWords(name),
      hint: description,
      required: schema.required?.includes(name) ?? false,
      type,
    };
  });
  return html`
    <fieldset class="login" data-platform="${platform.id}" ${!chosen && html`hidden disabled`}>
      <legend>${platform.name} login</legend>
      ${fields.length === 0 && html`<p class="hint">${schema.description ?? 'Nothing is asked for.'}</p>`}
      ${fields.map((field) => loginField(`connect-${platform.id}-${field.name}`, field))}
    </fieldset>
  `;
}

function loginField(id: string, field: Field): Html {
  const { name, label, hint, required, type } = field;
  return html`
    <div class="field">
      <label for="${id}">${label}${!required && html` <span class="optional">(optional)</span>`}</label>
      <input
        id="${id}"
        name="${name}"
        type="${type}"
        aria-describedby="${id}-hint"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        ${required && html`required`}
      />
      <p class="hint" id="${id}-hint">${hint}</p>
    </div>
  `;
}

/** Converts `appPassword` to "App password". */
function inWords(name: string): string {
  const words = name.replace(/([A-Z])/g, ' $1').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
