/** Form fields: each with a label, a hint and the error that concerns it. */
import type { ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from 'react-aria-components/TextField';

export interface TextFieldProps extends Omit<AriaTextFieldProps, 'children' | 'className' | 'style'> {
  readonly label: string;
  readonly hint?: ReactNode;
  /** A text of several lines. */
  readonly rows?: number;
  /** Present for the texts of people, which may be written from right to left. */
  readonly dir?: 'auto';
}

export function TextField({ label, hint, rows, dir, ...props }: TextFieldProps) {
  return (
    <AriaTextField {...props} className="field">
      <Label>
        {label}
        {props.isRequired !== true && <span className="optional"> (optional)</span>}
      </Label>
      {rows === undefined ? <Input {...(dir && { dir })} /> : <TextArea rows={rows} {...(dir && { dir })} />}
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error" />
    </AriaTextField>
  );
}
