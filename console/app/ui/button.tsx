/** The button of the console. */
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style'> {
  /** primary: the one main action of a form. danger: cannot be undone. quiet: beside a text. icon: shows only an icon. */
  readonly look?: 'primary' | 'plain' | 'danger' | 'quiet' | 'icon';
}

export function Button({ look = 'plain', ...props }: ButtonProps) {
  return <AriaButton {...props} className={`button button-${look}`} />;
}
