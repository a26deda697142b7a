/** The lock with a code: on, off, another code. */
import { type FormEvent, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Failure, Notice } from '../../kit/notice.tsx';
import { Page, Stack } from '../../kit/page.tsx';
import { navigate } from '../../kit/route.ts';
import { useAction } from '../../kit/use-action.ts';
import { useActions, usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import { CODE_LENGTHS, CodeField } from './code-field.tsx';

export function LockScreen() {
  const { t } = useWords();
  const { hasLock } = usePhone();
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  const [code, setCode] = useState('');
  const [again, setAgain] = useState('');
  const [problem, setProblem] = useState<'short' | 'differ'>();
  const set = async (event: FormEvent) => {
    event.preventDefault();
    const found = code.length < CODE_LENGTHS.least ? 'short' : code !== again ? 'differ' : undefined;
    setProblem(found);
    if (found) return;
    if (await run(() => actions.setLock(code))) navigate('/more', { replaces: true });
  };
  const remove = async () => {
    if (await run(() => actions.setLock(null))) navigate('/more', { replaces: true });
  };
  return (
    <Page
      title={t('lock.title')}
      backTo="/more"
      actions={
        <>
          <Button look="primary" icon="lock" type="submit" form="lock" aria-disabled={isBusy}>
            {t(hasLock ? 'lock.change' : 'lock.set')}
          </Button>
          {hasLock && (
            <Button look="quiet" aria-disabled={isBusy} onClick={remove}>
              {t('lock.remove')}
            </Button>
          )}
        </>
      }
    >
      {hasLock && (
        <Notice
          tone="good"
          title={t('lock.isOn')}
          action={
            <Button icon="lock" onClick={() => actions.lock()}>
              {t('more.lockNow')}
            </Button>
          }
        />
      )}
      <p>{t('lock.text')}</p>
      <form id="lock" onSubmit={set}>
        <Stack>
          <CodeField label={t('lock.new')} value={code} onChange={setCode} />
          <CodeField label={t('lock.again')} value={again} onChange={setAgain} />
        </Stack>
      </form>
      <Failure text={failure ?? (problem && t(`lock.${problem}`))} />
      <Notice>{t('lock.lost')}</Notice>
    </Page>
  );
}
