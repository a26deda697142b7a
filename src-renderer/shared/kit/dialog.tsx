/** A modal dialog. In a file of its own, because no screen needs it for its first render. */
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components';
import styles from './controls.module.css';

export function Dialog({
  label,
  isOpen,
  isDismissable = true,
  onOpenChange,
  children,
}: {
  label: string;
  isOpen: boolean;
  /** False where a click outside would lose input. Escape always closes the dialog. */
  isDismissable?: boolean;
  onOpenChange: (open: boolean) => void;
  children: ReactNode;
}) {
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={onOpenChange} isDismissable={isDismissable} className={styles.scrim}>
      <Modal className={styles.modal}>
        <AriaDialog aria-label={label} className={styles.dialog}>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
