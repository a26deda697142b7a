/** Covers the page when it is locked, or when its session ends while there is unsaved input. Signing in again continues where it was. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, Suspense, useState } from 'react';
import { Dialog, Form, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { personName } from '../../../src-server/study/person-name.ts';
import { ApiError } from '../../shared/api/queries.ts';
import { hasUnsavedInput, leaveSession, signIn, useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, PasswordField } from '../../shared/kit/controls.tsx';
import { errorSentence, Notice } from '../../shared/kit/state.tsx';
import { CodeField, isCodeNeeded } from './code-asked.ts';
import styles from './entrance.module.css';
import { useWait, waitOf } from './wait.ts';

export default function SessionEnded({ isLocked }: { isLocked: boolean }) {
  const { t, language } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const attempt = useMutation({
    mutationFn: () => signIn(user.email, password, needsCode ? { code } : {}),
    onError: (error) => setNeedsCode((before) => before || isCodeNeeded(error)),
    onSuccess: () => queries.invalidateQueries(),
  });
  const waitSeconds = useWait(attempt.error);
  const hasInput = hasUnsavedInput();
  const title = t(isLocked ? 'lock.title' : 'signIn.endedTitle');
  const isAsked = needsCode && attempt.error !== null && isCodeNeeded(attempt.error);
  const isWrong = attempt.error instanceof ApiError && attempt.error.code === 'LOGIN_FAILED';
  const isThrottled = waitOf(attempt.error) > 0;
  return (
    // The cover is opaque, because nobody is signed in while it shows.
    <ModalOverlay isOpen isKeyboardDismissDisabled className={styles.cover} data-cover>
      <Modal className={styles.column}>
        <Dialog aria-label={title}>
          <Form
            className={styles.form}
            onSubmit={(event: FormEvent) => {
              event.preventDefault();
              if (password !== '' && (!needsCode || code !== '') && !attempt.isPending && waitSeconds === 0)
                attempt.mutate();
            }}
          >
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <p>{t(isLocked ? 'lock.help' : 'signIn.endedHelp', { name: personName(user) })}</p>
            {waitSeconds > 0 && <Notice tone="warn">{t('signIn.throttled', { count: waitSeconds })}</Notice>}
            {attempt.error && waitSeconds === 0 && !isThrottled && !isAsked && (
              <Notice tone="bad">{isWrong ? t('signIn.wrong') : errorSentence(attempt.error, t, language)}</Notice>
            )}
            <input type="hidden" name="email" autoComplete="username" value={user.email} />
            <PasswordField
              label={t('signIn.password')}
              showLabel={t('signIn.showPassword')}
              hideLabel={t('signIn.hidePassword')}
              name="password"
              autoComplete="current-password"
              value={password}
              onChange={setPassword}
              autoFocus
            />
            {needsCode && (
              <Suspense>
                <CodeField code={code} onChange={setCode} error={attempt.error} />
              </Suspense>
            )}
            <Button
              type="submit"
              kind="primary"
              isDisabled={password === '' || (needsCode && code === '') || attempt.isPending || waitSeconds > 0}
            >
              {attempt.isPending ? t('signIn.busy') : t('signIn.resume')}
            </Button>
            <Button kind="quiet" onPress={leaveSession}>
              {t(isLocked ? 'lock.other' : 'signIn.discard')}
            </Button>
            {isLocked && hasInput && <p className={styles.hint}>{t('lock.unsaved')}</p>}
          </Form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
