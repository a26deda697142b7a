/** Sign-out, with a warning of what was not sent. */
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Failure, Notice } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useActions, usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';

export function LeaveScreen() {
  const { t } = useWords();
  const { waiting, drafts, connection } = usePhone();
  const actions = useActions();
  const sending = useAction();
  const leaving = useAction();
  const [isAsking, setAsking] = useState(false);
  const unsent = waiting.length + Object.keys(drafts).length;
  const unsentText = unsent > 0 ? t('leave.unsent', { count: unsent }) : undefined;
  return (
    <Page
      title={t('leave.title')}
      backTo="/more"
      actions={
        <>
          {waiting.length > 0 && (
            <Button look="primary" aria-disabled={sending.isBusy} onClick={() => sending.run(() => actions.syncNow())}>
              {t(sending.isBusy ? 'waiting.sending' : 'leave.tryFirst')}
            </Button>
          )}
          <Button look="danger" onClick={() => setAsking(true)}>
            {t('leave.signOut')}
          </Button>
        </>
      }
    >
      <p>{t('leave.text')}</p>
      {unsentText && <Notice tone="warn">{unsentText}</Notice>}
      {connection.state === 'OFFLINE' && <Notice icon="offline">{t('leave.offline')}</Notice>}
      <Failure text={sending.failure ?? leaving.failure} />
      {isAsking && (
        <Confirm
          title={t('leave.sure')}
          action={t('leave.signOut')}
          isBusy={leaving.isBusy}
          onConfirm={() => leaving.run(() => actions.signOut())}
          onClose={() => setAsking(false)}
        >
          <p>{unsentText ?? t('leave.text')}</p>
        </Confirm>
      )}
    </Page>
  );
}
