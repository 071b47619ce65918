/** The panel over the page in which palette, drawer and shortcut list show. */
import type { ReactNode } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';

export interface SheetProps {
  /** Name of the dialog, for screen readers. */
  readonly label: string;
  /** Where it appears. */
  readonly place: 'top' | 'side' | 'middle';
  readonly children: ReactNode;
  onClose(): void;
}

export function Sheet({ label, place, children, onClose }: SheetProps) {
  return (
    <ModalOverlay
      className={`overlay overlay-${place}`}
      isOpen
      onOpenChange={(open) => !open && onClose()}
      isDismissable
    >
      <Modal className={`modal modal-${place}`}>
        <Dialog className="dialog" aria-label={label}>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
