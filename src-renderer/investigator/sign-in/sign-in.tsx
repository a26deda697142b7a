import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { Form } from 'react-aria-components';
import { ApiError } from '../../shared/api/queries.ts';
import { signIn, signOutReason } from '../../shared/api/session.ts';
import { desktopProgram } from '../../shared/desktop.ts';
import { loadWords, useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field, PasswordField } from '../../shared/kit/controls.tsx';
import { errorSentence, Notice } from '../../shared/kit/state.tsx';
import { useStore } from '../../shared/store.ts';
import { CodeStep, SetupStep, stepOf } from './code-asked.ts';
import styles from './entrance.module.css';
import { Entrance } from './entrance.tsx';
import { useWait, waitOf } from './wait.ts';

/** A browser does not load what belongs to the desktop program. */
const StaySignedIn = lazy(async () => (await Promise.all([import('./stay-signed-in.tsx'), loadWords('site')]))[0]);
const isInProgram = desktopProgram() !== undefined;

export function SignIn() {
  const { t, language } = useWords();
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const reason = useStore(signOutReason);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [stays, setStays] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const [step, setStep] = useState<'password' | 'code' | 'setup'>('password');
  const attempt = useMutation({
    mutationFn: () => signIn(email.trim(), password, { staysSignedIn: stays }),
    onError: (error) => setStep(stepOf(error)),
    onSuccess: () => navigate({ href: next ?? '/', replace: true }),
  });
  const waitSeconds = useWait(attempt.error);
  // Announce the wait once: a screen reader must not speak every second of the countdown.
  const firstWaitSeconds = waitOf(attempt.error);

  function submit(event: FormEvent) {
    event.preventDefault();
    const missing = email.trim() === '' || password === '';
    setMissing(missing);
    if (!missing && waitSeconds === 0) attempt.mutate();
  }

  if (step !== 'password') {
    const given = { email: email.trim(), password, staysSignedIn: stays };
    const back = () => {
      attempt.reset();
      setPassword('');
      setStep('password');
    };
    const enter = () => void navigate({ href: next ?? '/', replace: true });
    return (
      <Entrance>
        <Suspense>
          {step === 'code' ? (
            <CodeStep given={given} onEnter={enter} onBack={back} />
          ) : (
            <SetupStep given={given} onEnter={enter} onBack={back} />
          )}
        </Suspense>
      </Entrance>
    );
  }

  let problem: string | undefined;
  if (isMissing) problem = t('signIn.missing');
  else if (attempt.error instanceof ApiError && attempt.error.status === 429)
    problem = waitSeconds > 0 ? t('signIn.throttled', { count: waitSeconds }) : undefined;
  else if (attempt.error instanceof ApiError && attempt.error.status === 401) problem = t('signIn.wrong');
  else if (attempt.error) problem = errorSentence(attempt.error, t, language);

  return (
    <Entrance>
      <Form className={styles.form} onSubmit={submit}>
        <h1>{t('signIn.title')}</h1>
        {!problem && reason && <Notice tone="info">{t(`signIn.${reason}`)}</Notice>}
        {problem && waitSeconds === 0 && <Notice tone="bad">{problem}</Notice>}
        {problem && waitSeconds > 0 && (
          <Notice tone="warn">
            <span aria-hidden="true">{problem}</span>
            <span className="visually-hidden">{t('signIn.throttled', { count: firstWaitSeconds })}</span>
          </Notice>
        )}
        <Field
          label={t('signIn.email')}
          type="email"
          name="email"
          autoComplete="username"
          inputMode="email"
          value={email}
          onChange={setEmail}
          isInvalid={isMissing && email.trim() === ''}
          autoFocus
        />
        <PasswordField
          label={t('signIn.password')}
          showLabel={t('signIn.showPassword')}
          hideLabel={t('signIn.hidePassword')}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          isInvalid={isMissing && password === ''}
        />
        {isInProgram && (
          <Suspense>
            <StaySignedIn isSelected={stays} onChange={setStays} />
          </Suspense>
        )}
        <Button type="submit" kind="primary" isDisabled={attempt.isPending || waitSeconds > 0}>
          {attempt.isPending ? t('signIn.busy') : t('signIn.submit')}
        </Button>
        <p className={styles.hint}>
          {t('signIn.forgotten')} <Link to="/set-password">{t('signIn.setPassword')}</Link>
        </p>
        <p className={styles.hint}>{t('signIn.local', { host: location.host })}</p>
      </Form>
    </Entrance>
  );
}
