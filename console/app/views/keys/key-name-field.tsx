/** The field for the name of a new key, of an account or of a profile. */
import { TextField } from '../../ui/field.tsx';

/** @param name at most 80 characters */
export function KeyNameField({ name, onChange }: { name: string; onChange(name: string): void }) {
  return (
    <TextField
      label="Name of the key"
      isRequired
      maxLength={80}
      autoComplete="off"
      dir="auto"
      hint="Which program uses it."
      value={name}
      onChange={onChange}
    />
  );
}
