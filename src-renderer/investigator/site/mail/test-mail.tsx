import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client } from '../../../shared/api/client.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { FormProblem, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from '../site.module.css';

const card = `${panelClass} ${styles.card}`;

/** Sends a test mail with the stored settings and shows the server's response. */
export function TestMail({ isSet }: { isSet: boolean }) {
  const { t } = useWords();
  const diagnosticText = useDiagnosticText();
  const { user } = useSession();
  const queries = useQueryClient();
  const [recipient, setRecipient] = useState(user.email);
  const send = useMutation({
    mutationFn: () => client.call('sendTestMail', { body: { recipient: recipient.trim() } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['mail'] }),
  });
  const fieldError = useFieldErrors(send.error);
  return (
    <form
      noValidate
      className={card}
      aria-label={t('mail.test')}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <h2>{t('mail.test')}</h2>
      {isSet ? (
        <>
          <Field
            label={t('mail.recipient')}
            type="email"
            value={recipient}
            onChange={setRecipient}
            error={fieldError('recipient')}
          />
          <div className={styles.actions}>
            <Button type="submit" icon="mail" isDisabled={send.isPending}>
              {send.isPending ? t('form.busy') : t('mail.sendTest')}
            </Button>
          </div>
        </>
      ) : (
        <p>{t('mail.testNotYet')}</p>
      )}
      {send.data?.isSent && <Notice tone="good">{t('mail.testSent', { recipient: send.data.recipient })}</Notice>}
      {send.data && !send.data.isSent && (
        <Notice tone="bad">
          <p>{t('mail.testFailed')}</p>
          {send.data.diagnostic && <small>{diagnosticText(send.data.diagnostic)}</small>}
        </Notice>
      )}
      <FormProblem error={send.error} />
    </form>
  );
}
