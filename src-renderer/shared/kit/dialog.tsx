/** A dialog over the page. Apart from the other controls, since no screen needs it at first. */
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
  /** False where a click beside it would lose what was typed; Escape closes it always. */
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
