/** After the sign-in: the right person on the right phone? Nothing was sent yet. */
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Failure, Notice } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { navigate } from '../../kit/route.ts';
import { useAction } from '../../kit/use-action.ts';
import { useActions, usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import styles from './start.module.css';

export function ConfirmScreen() {
  const { t } = useWords();
  const { subjectName, studyName, siteName, connection } = usePhone();
  // The first answer of the site brings the names to compare.
  const isComing = subjectName === undefined && connection.state === 'SENDING';
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  const [isAsking, setAsking] = useState(false);
  const confirm = () => {
    // The browser may keep the answers safer when asked once; "About" shows a refusal.
    actions.askForPersistence().catch(() => undefined);
    navigate('/today', { replaces: true });
  };
  return (
    <Page
      title={t('confirm.title')}
      actions={
        <>
          <Button look="primary" icon="check" aria-disabled={isComing} onClick={isComing ? undefined : confirm}>
            {t('confirm.yes')}
          </Button>
          <Button look="quiet" onClick={() => setAsking(true)}>
            {t('confirm.no')}
          </Button>
        </>
      }
    >
      <p>{t('confirm.text')}</p>
      <dl className={styles.facts}>
        <Fact name={t('confirm.subject')} value={subjectName} />
        <Fact name={t('confirm.study')} value={studyName} />
        <Fact name={t('confirm.site')} value={siteName} />
      </dl>
      {subjectName === undefined && !isComing && <Notice icon="offline">{t('confirm.away')}</Notice>}
      <Failure text={failure} />
      {isAsking && (
        <Confirm
          title={t('confirm.noTitle')}
          action={t('confirm.noAction')}
          isBusy={isBusy}
          onConfirm={() => run(() => actions.signOut())}
          onClose={() => setAsking(false)}
        >
          <p>{t('confirm.noText')}</p>
        </Confirm>
      )}
    </Page>
  );
}

function Fact({ name, value }: { name: string; value: string | undefined }) {
  if (value === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
