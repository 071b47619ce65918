/** The button of the console. */
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style'> {
  /** primary: the one main action of a form. danger: cannot be undone. quiet: beside a text. icon: shows only an icon. */
  readonly look?: 'primary' | 'plain' | 'danger' | 'quiet' | 'icon';
}

export function Button({ look = 'plain', ...props }: ButtonProps) {
  const isSubmitting = props.type === 'submit' && props.isPending === true;
  return (
    <>
      <AriaButton {...props} className={`button button-${look}`} />
      {/* A pending button is no submit button, and Enter submits a form of one field that has none. A disabled one prevents it. */}
      {isSubmitting && <button type="submit" hidden disabled aria-label="In progress" />}
    </>
  );
}
