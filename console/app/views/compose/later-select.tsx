/** A choice of one among few, loaded when it is needed: its popover is large. */
import { lazy, Suspense } from 'react';
import type { SelectProps } from '../../ui/select.tsx';

const Select = lazy(() => import('../../ui/select.tsx').then((module) => ({ default: module.Select<string> })));

export function LaterSelect(props: SelectProps<string>) {
  return (
    <Suspense>
      <Select {...props} />
    </Suspense>
  );
}
