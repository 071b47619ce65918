/** A box to tick. */
import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaCheckboxProps } from 'react-aria-components/Checkbox';
import { Check, Minus } from './icons.tsx';

export interface CheckboxProps extends Omit<AriaCheckboxProps, 'children' | 'className' | 'style'> {
  readonly children?: ReactNode;
}

export function Checkbox({ children, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className="checkbox">
      {({ isIndeterminate, isSelected }) => (
        <>
          <span className="checkbox-box" aria-hidden>
            {isIndeterminate ? <Minus size={14} /> : isSelected && <Check size={14} />}
          </span>
          {children}
        </>
      )}
    </AriaCheckbox>
  );
}
