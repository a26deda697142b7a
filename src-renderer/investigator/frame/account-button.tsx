import { lazy, Suspense, useRef, useState } from 'react';
import { personName } from '../../../src-server/study/person-name.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import styles from './frame.module.css';

const AccountMenu = lazy(() => import('./account-menu.tsx'));

/** Names the signed-in user and opens the account menu, which loads on first use. */
export function AccountButton({ onKeys }: { onKeys: () => void }) {
  const { t } = useWords();
  const { user } = useSession();
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const name = personName(user);
  return (
    <>
      <Button
        ref={trigger}
        kind="quiet"
        icon="account"
        aria-label={`${name}. ${t('account.menu')}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPress={() => setOpen(!isOpen)}
      >
        <span className={styles.accountName}>{name}</span>
      </Button>
      <Suspense>{isOpen && <AccountMenu trigger={trigger} onClose={() => setOpen(false)} onKeys={onKeys} />}</Suspense>
    </>
  );
}
