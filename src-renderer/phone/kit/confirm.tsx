/** A question before something that cannot be undone, in the browser's own modal dialog. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useWords } from '../words/words.ts';
import { Button } from './button.tsx';
import styles from './confirm.module.css';

export function Confirm({
  title,
  children,
  action,
  isBusy = false,
  onConfirm,
  onClose,
}: {
  title: string;
  children: ReactNode;
  /** What the button does. */
  action: string;
  isBusy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <div className={styles.body}>{children}</div>
      <Button look="danger" aria-disabled={isBusy} onClick={onConfirm}>
        {action}
      </Button>
      <Button look="quiet" onClick={() => dialog.current?.close()}>
        {t('frame.cancel')}
      </Button>
    </dialog>
  );
}
