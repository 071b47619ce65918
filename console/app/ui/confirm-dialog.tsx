/** Asks before something that cannot be undone. Where undo is possible, do it at once and offer undo in a toast. */
import type { ReactNode } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button } from './button.tsx';

export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** What is concerned and what will happen. */
  readonly children: ReactNode;
  /** Name of the action, such as "Take down". */
  readonly action: string;
  onConfirm(): void;
  onClose(): void;
}

export function ConfirmDialog({ isOpen, title, children, action, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <ModalOverlay className="overlay" isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal className="modal">
        <Dialog role="alertdialog" className="dialog">
          <Heading slot="title">{title}</Heading>
          <div className="dialog-body">{children}</div>
          <div className="actions">
            {/* Enter chooses the safe answer. */}
            <Button autoFocus onPress={onClose}>
              Keep it
            </Button>
            <Button
              look="danger"
              onPress={() => {
                onClose();
                onConfirm();
              }}
            >
              {action}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
