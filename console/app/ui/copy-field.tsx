/** A value that is shown to be copied, such as a secret or a link, with a button that copies it. */
import { type ReactNode, useRef } from 'react';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextField } from 'react-aria-components/TextField';
import { Button } from './button.tsx';
import { Copy } from './icons.tsx';
import { toast } from './toasts.tsx';

export interface CopyFieldProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: ReactNode;
  /** False for a value that was there before, so that the focus stays where it is. */
  readonly focusesCopy?: boolean;
}

/** A label inside a sentence: "Link" gets a small letter, "MCP address" keeps its capitals. */
function inSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? `${label.charAt(0).toLowerCase()}${label.slice(1)}` : label;
}

export function CopyField({ label, value, hint, focusesCopy = true }: CopyFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      toast('Copied.');
    } catch {
      // Browsers have no clipboard for pages over plain http, except on this machine.
      input.current?.focus();
      input.current?.select();
      toast('The browser does not allow copying here. The text is selected: copy it with the keyboard.');
    }
  };
  return (
    <TextField className="field" value={value} isReadOnly>
      <Label>{label}</Label>
      <div className="copy-row">
        <Input ref={input} dir="ltr" />
        {/* The value has just appeared, so the focus moves to it. */}
        <Button
          autoFocus={focusesCopy}
          slot={null}
          aria-label={`Copy ${inSentence(label)}`}
          onPress={() => void copy()}
        >
          <Copy aria-hidden size={16} /> Copy
        </Button>
      </div>
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
    </TextField>
  );
}
