/** The arrow keys as directions. */
import type { ButtonProps } from 'react-aria-components/Button';

export type KeyEvent = Parameters<NonNullable<ButtonProps['onKeyDown']>>[0];

export interface Direction {
  /** -1 towards earlier days, 1 towards later ones. */
  readonly across: number;
  /** -1 up, 1 down. */
  readonly down: number;
}

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowLeft: { across: -1, down: 0 },
  ArrowRight: { across: 1, down: 0 },
  ArrowUp: { across: 0, down: -1 },
  ArrowDown: { across: 0, down: 1 },
};

/** Null for other keys. */
export function directionOf({ key }: KeyEvent): Direction | null {
  const direction = DIRECTIONS[key];
  if (direction === undefined) return null;
  const isRightToLeft = getComputedStyle(document.documentElement).direction === 'rtl';
  return isRightToLeft ? { ...direction, across: -direction.across } : direction;
}
