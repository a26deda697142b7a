/** The second step of a sign-in: the code of the second factor, or setting up one that is required. */
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Form } from 'react-aria-components';
import type { Session } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { ApiError } from '../../shared/api/queries.ts';
import { openSession, signIn } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field } from '../../shared/kit/controls.tsx';
import { errorSentence, Notice } from '../../shared/kit/state.tsx';
import { FactorQr } from '../access/factor-qr.tsx';
import { RecoveryCodes } from '../access/recovery-codes.tsx';
import styles from './entrance.module.css';
import { useWait } from './wait.ts';

interface Given {
  email: string;
  password: string;
  staysSignedIn: boolean;
}

interface StepProps {
  given: Given;
  onEnter: () => void;
  onBack: () => void;
}

const isWrong = (error: Error | null): error is ApiError =>
  error instanceof ApiError && error.code === 'SECOND_FACTOR_WRONG';

export function CodeField({
  code,
  onChange,
  error,
  isFirst = false,
}: {
  code: string;
  onChange: (code: string) => void;
  error: Error | null;
  /** A recovery code cannot turn a second factor on. */
  isFirst?: boolean;
}) {
  const { t } = useWords();
  return (
    <Field
      label={t('secondStep.code')}
      help={isFirst ? undefined : t('secondStep.codeHelp')}
      name="code"
      autoComplete="one-time-code"
      inputMode={isFirst ? 'numeric' : 'text'}
      value={code}
      onChange={onChange}
      // An invalid field keeps a form from being sent: another code may be right.
      isInvalid={isWrong(error) && code === ''}
      autoFocus
    />
  );
}

function Problem({ error, waitSeconds }: { error: Error | null; waitSeconds: number }) {
  const { t, language, format } = useWords();
  if (!error) return null;
  if (waitSeconds > 0) return <Notice tone="warn">{t('signIn.throttled', { count: waitSeconds })}</Notice>;
  if (error instanceof ApiError && error.status === 429) return null;
  if (!isWrong(error)) return <Notice tone="bad">{errorSentence(error, t, language)}</Notice>;
  return (
    <Notice tone="bad">
      <p>{t('secondStep.wrong')}</p>
      {error.siteTs !== undefined && <small>{t('secondStep.clock', { time: format.dateTime(error.siteTs) })}</small>}
    </Notice>
  );
}

export function CodeStep({ given, onEnter, onBack }: StepProps) {
  const { t } = useWords();
  const { email, password, staysSignedIn } = given;
  const [code, setCode] = useState('');
  const attempt = useMutation({
    mutationFn: () => signIn(email, password, { staysSignedIn, code }),
    onSuccess: onEnter,
    onError: () => setCode(''),
  });
  const waitSeconds = useWait(attempt.error);
  const isIdle = !attempt.isPending && waitSeconds === 0;
  return (
    <Form
      className={styles.form}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (code.trim() !== '' && isIdle) attempt.mutate();
      }}
    >
      <h1>{t('secondStep.title')}</h1>
      <p>{t('secondStep.help')}</p>
      <Problem error={attempt.error} waitSeconds={waitSeconds} />
      <CodeField code={code} onChange={setCode} error={attempt.error} />
      <Button type="submit" kind="primary" isDisabled={code.trim() === '' || !isIdle}>
        {attempt.isPending ? t('signIn.busy') : t('signIn.submit')}
      </Button>
      <Button kind="quiet" onPress={onBack}>
        {t('secondStep.other')}
      </Button>
      <p className={styles.hint}>{t('secondStep.lost')}</p>
    </Form>
  );
}

/** Shows the recovery codes before it enters: the desk has no other moment for them. */
export function SetupStep({ given, onEnter, onBack }: StepProps) {
  const { t } = useWords();
  const { email, password, staysSignedIn } = given;
  const [code, setCode] = useState('');
  const [opened, setOpened] = useState<{ codes: readonly string[]; session: Session } | null>(null);
  const setup = useMutation({ mutationFn: () => client.call('setUpRequiredFactor', { body: { email, password } }) });
  const confirm = useMutation({
    mutationFn: () => client.call('confirmRequiredFactor', { body: { email, password, code } }),
    onSuccess: ({ recoveryCodes, session }) => setOpened({ codes: recoveryCodes, session }),
    onError: () => setCode(''),
  });
  const enter = useMutation({
    mutationFn: async ({ session }: { session: Session }) => openSession(async () => session, staysSignedIn),
    onSuccess: onEnter,
  });
  const waitSeconds = useWait(confirm.error ?? setup.error);
  const heading = useRef<HTMLHeadingElement>(null);
  // Another step of the same form: a screen reader begins at its title.
  useEffect(() => {
    if (opened) heading.current?.focus();
  }, [opened]);
  if (opened) {
    return (
      <div className={styles.form}>
        <h1 ref={heading} tabIndex={-1}>
          {t('secondFactor.codesTitle')}
        </h1>
        <RecoveryCodes codes={opened.codes} />
        <Button kind="primary" isDisabled={enter.isPending} onPress={() => enter.mutate(opened)}>
          {t('secondStep.done')}
        </Button>
      </div>
    );
  }
  const isIdle = !confirm.isPending && !setup.isPending && waitSeconds === 0;
  return (
    <Form
      className={styles.form}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (!isIdle) return;
        if (!setup.data) setup.mutate();
        else if (code.trim() !== '') confirm.mutate();
      }}
    >
      <h1>{t('secondFactor.setUpTitle')}</h1>
      <p>{t(setup.data ? 'secondFactor.scan' : 'secondStep.required')}</p>
      <Problem error={confirm.error ?? setup.error} waitSeconds={waitSeconds} />
      {setup.data ? (
        <>
          <FactorQr setup={setup.data} />
          <CodeField isFirst code={code} onChange={setCode} error={confirm.error} />
        </>
      ) : (
        <p className={styles.hint}>{t('secondFactor.setUpIntro')}</p>
      )}
      <Button type="submit" kind="primary" isDisabled={!isIdle || (setup.data !== undefined && code.trim() === '')}>
        {t(setup.data ? 'secondStep.finish' : 'secondStep.start')}
      </Button>
      <Button kind="quiet" onPress={onBack}>
        {t('secondStep.other')}
      </Button>
    </Form>
  );
}
