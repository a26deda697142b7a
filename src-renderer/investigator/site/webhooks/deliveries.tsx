import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { WebhookDelivery } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { deliveriesQuery } from '../../../shared/api/site-queries.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Pill, type Tone } from '../../../shared/kit/controls.tsx';
import { type Column, cellButtonClass, DataTable, Faint } from '../../../shared/kit/data-table.tsx';
import { InfoDialog } from '../../../shared/kit/form-dialog.tsx';
import { Empty, QueryView } from '../../../shared/kit/state.tsx';
import { RetryWithError } from '../../jobs/retry-button.tsx';
import styles from '../site.module.css';

const TONES: Record<WebhookDelivery['state'], Tone> = { waiting: 'neutral', delivered: 'good', failed: 'bad' };

type Attempt = WebhookDelivery['attempts'][number];

/** Returns a function that describes an attempt: the status of the response, or why there was none. */
function useAttemptWords(): (attempt: Attempt) => string {
  const { t } = useWords();
  const diagnosticText = useDiagnosticText();
  return ({ status, diagnostic }) =>
    status === undefined && diagnostic ? diagnosticText(diagnostic) : t('webhooks.answered', { status: status ?? 0 });
}

/** Returns a function that describes the latest attempt of a delivery. */
export function useOutcome(): (delivery: WebhookDelivery) => string {
  const { t } = useWords();
  const wordsOf = useAttemptWords();
  return ({ attempts }) => {
    const last = attempts.at(-1);
    return last ? wordsOf(last) : t('webhooks.notTried');
  };
}

function Redeliver({ delivery, accountId }: { delivery: WebhookDelivery; accountId: string }) {
  const { t, format } = useWords();
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: () =>
      client.call('redeliverWebhook', {
        params: { accountId, webhookId: delivery.webhookId, deliveryId: delivery.id },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhook'] }),
  });
  return (
    <RetryWithError
      label={t('webhooks.redeliver')}
      name={t('webhooks.redeliverOf', { time: format.moment(delivery.createdTs) })}
      retry={again}
      errorClass={styles.bad}
    />
  );
}

function DeliveryDetails({ delivery, onClose }: { delivery: WebhookDelivery; onClose: () => void }) {
  const { t, format } = useWords();
  const wordsOf = useAttemptWords();
  return (
    <InfoDialog title={t('webhooks.delivery')} onClose={onClose}>
      <dl className={styles.facts}>
        <dt>webhook-id</dt>
        <dd className={styles.mono}>{delivery.id}</dd>
      </dl>
      {delivery.attempts.length === 0 ? (
        <p>{t('webhooks.notTried')}</p>
      ) : (
        <ol className={styles.problems}>
          {delivery.attempts.map((attempt) => (
            <li key={attempt.startedTs}>
              {format.dateTime(attempt.startedTs)} · {t('webhooks.milliseconds', { value: attempt.durationMs })} ·{' '}
              {wordsOf(attempt)}
              {attempt.answer && <div className={styles.mono}>{attempt.answer}</div>}
            </li>
          ))}
        </ol>
      )}
      <h3>{t('webhooks.body')}</h3>
      <pre className={styles.json}>{JSON.stringify(delivery.event, undefined, 2)}</pre>
    </InfoDialog>
  );
}

/** The deliveries of a webhook with their attempts. */
export function Deliveries({ accountId, webhookId }: { accountId: string; webhookId: string }) {
  const { t, format } = useWords();
  const outcome = useOutcome();
  const query = useQuery(deliveriesQuery(accountId, webhookId));
  const [shown, setShown] = useState<WebhookDelivery | null>(null);
  const columns = useMemo(
    (): Column<WebhookDelivery>[] => [
      {
        id: 'created',
        header: t('webhooks.happened'),
        value: (row) => row.createdTs,
        cell: (row) => (
          <Button small kind="quiet" className={cellButtonClass} onPress={() => setShown(row)}>
            {format.moment(row.createdTs)}
          </Button>
        ),
      },
      {
        id: 'event',
        header: t('webhooks.event'),
        value: (row) => row.event.action,
        cell: (row) => (
          <>
            {t(`webhooks.action.${row.event.action}`)} {row.isTest && <Pill tone="info">{t('webhooks.sample')}</Pill>}
          </>
        ),
      },
      {
        id: 'state',
        header: t('exports.stateTitle'),
        value: (row) => row.state,
        cell: (row) => <Pill tone={TONES[row.state]}>{t(`webhooks.state.${row.state}`)}</Pill>,
      },
      {
        id: 'outcome',
        header: t('webhooks.outcome'),
        cell: (row) => (
          <div className={styles.wrap}>
            {outcome(row)}
            {row.nextAttemptTs !== undefined && (
              <Faint> {t('webhooks.nextAttempt', { time: format.clock(row.nextAttemptTs) })}</Faint>
            )}
          </div>
        ),
      },
      {
        id: 'attempts',
        header: t('mail.attempts'),
        isNumber: true,
        isSecondary: true,
        value: (row) => row.attempts.length,
        cell: (row) => t('mail.times', { count: row.attempts.length }),
      },
      {
        id: 'actions',
        header: t('exports.actions'),
        cell: (row) =>
          row.state !== 'waiting' && !row.isTest ? <Redeliver delivery={row} accountId={accountId} /> : '',
      },
    ],
    [t, format, outcome, accountId],
  );
  return (
    <>
      <h2>{t('webhooks.deliveries')}</h2>
      <QueryView query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="link" title={t('webhooks.noDeliveries')} help={t('webhooks.noDeliveriesHelp')} />
          ) : (
            <DataTable
              caption={t('webhooks.deliveries')}
              rows={items}
              columns={columns}
              rowId={(row) => row.id}
              initialSort={{ id: 'created', desc: true }}
            />
          )
        }
      </QueryView>
      {shown && <DeliveryDetails delivery={shown} onClose={() => setShown(null)} />}
    </>
  );
}
