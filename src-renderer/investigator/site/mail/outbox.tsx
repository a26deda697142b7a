import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Mail as MailItem } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useSession } from '../../../shared/api/session.ts';
import { outboxQuery } from '../../../shared/api/site-queries.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Pill, type Tone } from '../../../shared/kit/controls.tsx';
import { type Column, cellButtonClass, DataTable, Faint } from '../../../shared/kit/data-table.tsx';
import { InfoDialog } from '../../../shared/kit/form-dialog.tsx';
import { Empty, Notice, QueryView } from '../../../shared/kit/state.tsx';
import { RetryWithError } from '../../jobs/retry-button.tsx';
import styles from '../site.module.css';

const TONES: Record<MailItem['state'], Tone> = { queued: 'neutral', sent: 'good', failed: 'bad' };

function Retry({ mail }: { mail: MailItem }) {
  const { t } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const retry = useMutation({
    mutationFn: () => client.call('retryMail', { params: { accountId: user.accountId, mailId: mail.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['mail'] }),
  });
  return (
    <RetryWithError
      label={t('jobs.retry')}
      name={t('mail.retryOf', { subject: mail.subject })}
      retry={retry}
      errorClass={styles.bad}
    />
  );
}

/** The site's outgoing mail: queued, sent and failed. */
export function Outbox() {
  const { t, format } = useWords();
  const { user } = useSession();
  const outbox = useQuery(outboxQuery(user.accountId));
  const diagnosticText = useDiagnosticText();
  const [shown, setShown] = useState<MailItem | null>(null);
  const columns = useMemo(
    (): Column<MailItem>[] => [
      {
        id: 'created',
        header: t('mail.written'),
        value: (mail) => mail.createdTs,
        cell: (mail) => format.moment(mail.createdTs),
      },
      {
        id: 'recipient',
        header: t('mail.to'),
        value: (mail) => mail.recipient,
        cell: (mail) => mail.recipient,
      },
      {
        id: 'subject',
        header: t('mail.subject'),
        value: (mail) => mail.subject,
        cell: (mail) => (
          <Button small kind="quiet" className={cellButtonClass} onPress={() => setShown(mail)}>
            {mail.subject}
          </Button>
        ),
      },
      {
        id: 'state',
        header: t('exports.stateTitle'),
        value: (mail) => mail.state,
        cell: (mail) => (
          <div className={styles.wrap}>
            <Pill tone={TONES[mail.state]}>{t(`mail.state.${mail.state}`)}</Pill>
            {mail.diagnostic && mail.state !== 'sent' && (
              <small className={styles.bad}> {diagnosticText(mail.diagnostic)}</small>
            )}
          </div>
        ),
      },
      {
        id: 'attempts',
        header: t('mail.attempts'),
        isNumber: true,
        isSecondary: true,
        value: (mail) => mail.attempts,
        cell: (mail) =>
          mail.attempts === 0 ? <Faint>{t('mail.notTried')}</Faint> : t('mail.times', { count: mail.attempts }),
      },
      {
        id: 'actions',
        header: t('exports.actions'),
        cell: (mail) => (mail.state === 'failed' ? <Retry mail={mail} /> : ''),
      },
    ],
    [t, format, diagnosticText],
  );
  return (
    <>
      <h2>{t('mail.outbox')}</h2>
      <QueryView query={outbox}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="mail" title={t('mail.emptyTitle')} help={t('mail.emptyHelp')} />
          ) : (
            <DataTable
              caption={t('mail.outbox')}
              rows={items}
              columns={columns}
              rowId={(mail) => mail.id}
              initialSort={{ id: 'created', desc: true }}
            />
          )
        }
      </QueryView>
      {shown && (
        <InfoDialog title={shown.subject} onClose={() => setShown(null)}>
          <dl className={styles.facts}>
            <dt>{t('mail.to')}</dt>
            <dd>{shown.recipient}</dd>
            <dt>{t('mail.written')}</dt>
            <dd>{format.dateTime(shown.createdTs)}</dd>
          </dl>
          {shown.body === undefined ? (
            <Notice tone="info">{t('mail.hidden')}</Notice>
          ) : (
            <p style={{ whiteSpace: 'pre-wrap' }}>{shown.body}</p>
          )}
        </InfoDialog>
      )}
    </>
  );
}
