/** Covers a page with unsaved input when the session ends; signing in again continues where it was. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Dialog, Form, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { personName } from '../../../src-server/study/person-name.ts';
import { ApiError } from '../../shared/api/queries.ts';
import { leaveSession, signIn, useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, PasswordField } from '../../shared/kit/controls.tsx';
import { errorSentence, Notice } from '../../shared/kit/state.tsx';
import styles from './entrance.module.css';

export function SessionEnded() {
  const { t, language } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const [password, setPassword] = useState('');
  const attempt = useMutation({
    mutationFn: () => signIn(user.email, password),
    onSuccess: () => queries.invalidateQueries(),
  });
  const isWrong = attempt.error instanceof ApiError && attempt.error.status === 401;
  return (
    // The cover is opaque, because nobody is signed in while it shows.
    <ModalOverlay isOpen isKeyboardDismissDisabled className={styles.cover}>
      <Modal className={styles.column}>
        <Dialog aria-label={t('signIn.endedTitle')}>
          <Form
            className={styles.form}
            onSubmit={(event: FormEvent) => {
              event.preventDefault();
              if (password !== '' && !attempt.isPending) attempt.mutate();
            }}
          >
            <Heading slot="title" level={2}>
              {t('signIn.endedTitle')}
            </Heading>
            <p>{t('signIn.endedHelp', { name: personName(user) })}</p>
            {attempt.error && (
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
            <Button type="submit" kind="primary" isDisabled={password === '' || attempt.isPending}>
              {attempt.isPending ? t('signIn.busy') : t('signIn.resume')}
            </Button>
            <Button kind="quiet" onPress={leaveSession}>
              {t('signIn.discard')}
            </Button>
          </Form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
