/** Makes an icon of its shape, drawn on a grid of 24 by 24. Without a name it is hidden from screen readers. */
import type { ComponentType, ReactNode, SVGProps } from 'react';

interface IconProps extends SVGProps<SVGSVGElement> {
  /** Width and height in pixels. Default 24. */
  readonly size?: number;
}

export type Icon = ComponentType<IconProps>;

export function icon(shape: ReactNode): Icon {
  return ({ size = 24, ...rest }) => (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden={rest['aria-label'] === undefined ? true : undefined}
      {...rest}
    >
      {shape}
    </svg>
  );
}
