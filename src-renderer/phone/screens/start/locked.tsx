/** The lock: a code of four to eight digits. What lies on the phone is readable again afterwards. */
import { type FormEvent, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Emblem } from '../../kit/emblem.tsx';
import { Failure } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useActions, usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import { CODE_LENGTHS, CodeField } from '../more/code-field.tsx';

export function LockedScreen() {
  const { t } = useWords();
  const { waiting } = usePhone();
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  const [code, setCode] = useState('');
  const [isWrong, setWrong] = useState(false);
  const [isShort, setShort] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const unlock = async (event: FormEvent) => {
    event.preventDefault();
    setShort(code.length < CODE_LENGTHS.least);
    setWrong(false);
    // No code is as short: a tap too many is not a try.
    if (code.length < CODE_LENGTHS.least) return;
    await run(async () => {
      const isRight = await actions.unlock(code);
      setWrong(!isRight);
      if (!isRight) setCode('');
    });
  };
  return (
    <Page
      title={t('locked.title')}
      actions={
        <>
          <Button look="primary" type="submit" form="unlock" aria-disabled={isBusy}>
            {t('locked.unlock')}
          </Button>
          <Button look="quiet" onClick={() => setAsking(true)}>
            {t('locked.forgotten')}
          </Button>
        </>
      }
    >
      <Emblem icon="lock" />
      <form id="unlock" onSubmit={unlock}>
        <CodeField label={t('locked.code')} value={code} onChange={setCode} />
      </form>
      <Failure text={isShort ? t('lock.short') : (failure ?? (isWrong ? t('locked.wrong') : undefined))} />
      {isAsking && (
        <Confirm
          title={t('locked.forgottenTitle')}
          action={t('leave.signOut')}
          isBusy={isBusy}
          onConfirm={() => run(() => actions.signOut())}
          onClose={() => setAsking(false)}
        >
          <p>{t('locked.forgottenText')}</p>
          {waiting.length > 0 && <p>{t('leave.unsent', { count: waiting.length })}</p>}
        </Confirm>
      )}
    </Page>
  );
}
