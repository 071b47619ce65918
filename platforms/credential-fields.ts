/** What forms show for the fields of a credential. Each platform registers it on the schema of the field. */
import { z } from 'zod';

interface FieldFacts {
  readonly label: string;
  /** `secret` is hidden during input. `server` is the address of a server. */
  readonly kind: 'text' | 'secret' | 'server';
}

export const fieldFacts = z.registry<FieldFacts>();

/** One field of a form. */
export interface CredentialField extends FieldFacts {
  /** Name of the field in `credentials` of POST /connections. */
  readonly name: string;
  /** Help text. */
  readonly hint: string;
  readonly required: boolean;
}

/** The part of a JSON Schema that describes fields. */
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

/** The fields of a platform's credentials, in order. @throws Error for a field without facts */
export function credentialFields(credentials: z.ZodType): readonly CredentialField[] {
  if (!(credentials instanceof z.ZodObject)) throw new Error('the credentials of a platform are an object of fields');
  const { properties = {}, required = [] } = z.toJSONSchema(credentials, { io: 'input' }) as ObjectSchema;
  return Object.entries<z.core.$ZodType>(credentials.shape).map(([name, schema]) => {
    const facts = fieldFacts.get(schema);
    if (facts === undefined) throw new Error(`the field ${name} has no label: register one in fieldFacts`);
    return { name, ...facts, hint: properties[name]?.description ?? '', required: required.includes(name) };
  });
}
