/** One webhook: where it posts, whether that works, and every delivery with its attempts. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Webhook, WebhookDelivery } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import { deliveriesQuery, webhooksQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, buttonClass, Pill, type Tone } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { FormDialog, InfoDialog } from '../../shared/kit/form-dialog.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { Empty, ErrorNotice, errorSentence, Notice, QueryView } from '../../shared/kit/state.tsx';
import styles from './site.module.css';
import { SitePage } from './site-page.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { ShownSecret, WebhookState } from './webhooks.tsx';

const TONES: Record<WebhookDelivery['state'], Tone> = { waiting: 'neutral', delivered: 'good', failed: 'bad' };

/** What came of an attempt: the status of the answer, or why there was none. */
function useOutcome(): (delivery: WebhookDelivery) => string {
  const { t } = useWords();
  return ({ attempts }) => {
    const last = attempts.at(-1);
    if (!last) return t('webhooks.notTried');
    return last.status === undefined ? (last.error ?? '') : t('webhooks.answered', { status: last.status });
  };
}

function Test({ params }: { params: { accountId: string; webhookId: string } }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const outcome = useOutcome();
  const test = useMutation({
    mutationFn: () => client.call('testWebhook', { params }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhook'] }),
  });
  return (
    <>
      <div className={styles.actions}>
        <Button icon="play" isDisabled={test.isPending} onPress={() => test.mutate()}>
          {test.isPending ? t('webhooks.testing') : t('webhooks.test')}
        </Button>
      </div>
      {test.data && (
        <Notice tone={test.data.state === 'delivered' ? 'good' : 'bad'}>
          <p>{t(test.data.state === 'delivered' ? 'webhooks.testGood' : 'webhooks.testBad')}</p>
          <small>{outcome(test.data)}</small>
        </Notice>
      )}
      {test.error && <ErrorNotice error={test.error} onRetry={() => test.mutate()} />}
    </>
  );
}

function Redeliver({ delivery, accountId }: { delivery: WebhookDelivery; accountId: string }) {
  const { t, format, language } = useWords();
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: () =>
      client.call('redeliverWebhook', {
        params: { accountId, webhookId: delivery.webhookId, deliveryId: delivery.id },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhook'] }),
  });
  return (
    <>
      <Button
        small
        icon="retry"
        aria-label={t('webhooks.redeliverOf', { time: format.moment(delivery.createdTs) })}
        isDisabled={again.isPending}
        onPress={() => again.mutate()}
      >
        {t('webhooks.redeliver')}
      </Button>
      {again.error && <small className={styles.bad}>{errorSentence(again.error, t, language)}</small>}
    </>
  );
}

function DeliveryDetails({ delivery, onClose }: { delivery: WebhookDelivery; onClose: () => void }) {
  const { t, format } = useWords();
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
              {attempt.status === undefined ? attempt.error : t('webhooks.answered', { status: attempt.status })}
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

function Deliveries({ accountId, webhookId }: { accountId: string; webhookId: string }) {
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
          <Button small kind="quiet" onPress={() => setShown(row)}>
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

type Open = 'edit' | 'rotate' | 'delete' | { secret: string; previousUntilTs: number };

function Dialogs({ webhook, open, setOpen }: { webhook: Webhook; open: Open; setOpen: (open: Open | null) => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const params = { accountId: webhook.accountId, webhookId: webhook.id };
  const refresh = () => queries.invalidateQueries({ queryKey: ['webhook'] });
  const close = () => setOpen(null);
  const rotate = useMutation({
    mutationFn: () => client.call('rotateWebhookSecret', { params }),
    onSuccess: setOpen,
  });
  const remove = useMutation({
    mutationFn: () => client.call('deleteWebhook', { params }),
    onSuccess: async () => {
      await navigate({ to: '/site/webhooks' });
      await refresh();
    },
  });
  if (open === 'edit') {
    const { displayName, url, actions, studyIds, trustedCertificate = null } = webhook;
    return (
      <WebhookForm
        title={t('webhooks.editTitle')}
        submitLabel={t('form.save')}
        initial={{ displayName, url, actions, studyIds, trustedCertificate }}
        onSave={async (body) => {
          await client.call('updateWebhook', { params, body });
          await refresh();
        }}
        onClose={close}
      />
    );
  }
  if (open === 'rotate') {
    return (
      <FormDialog
        title={t('webhooks.rotateTitle')}
        submitLabel={t('webhooks.rotate')}
        isPending={rotate.isPending}
        error={rotate.error}
        onSubmit={() => rotate.mutate()}
        onClose={close}
      >
        <p>{t('webhooks.rotateEffect')}</p>
      </FormDialog>
    );
  }
  if (open === 'delete') {
    return (
      <FormDialog
        title={t('webhooks.deleteTitle', { name: webhook.displayName })}
        submitLabel={t('webhooks.delete')}
        isPending={remove.isPending}
        error={remove.error}
        onSubmit={() => remove.mutate()}
        onClose={close}
      >
        <p>{t('webhooks.deleteEffect')}</p>
      </FormDialog>
    );
  }
  return <ShownSecret secret={open.secret} untilTs={open.previousUntilTs} onClose={close} />;
}

function Details({ webhook }: { webhook: Webhook }) {
  const { t, format, language } = useWords();
  const queries = useQueryClient();
  const [open, setOpen] = useState<Open | null>(null);
  const params = { accountId: webhook.accountId, webhookId: webhook.id };
  const toggle = useMutation({
    mutationFn: () => client.call('updateWebhook', { params, body: { isEnabled: !webhook.isEnabled } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhook'] }),
  });
  return (
    <>
      <section className={`${panelClass} ${styles.card}`} aria-label={webhook.displayName}>
        <div className={styles.cardHead}>
          <h2>{webhook.displayName}</h2>
          <WebhookState webhook={webhook} />
        </div>
        {webhook.disabledReason && <Notice tone="warn">{webhook.disabledReason}</Notice>}
        <dl className={styles.facts}>
          <dt>{t('webhooks.url')}</dt>
          <dd className={styles.mono}>{webhook.url}</dd>
          <dt>{t('webhooks.actions')}</dt>
          <dd>
            {webhook.actions.length === 0
              ? t('webhooks.allActions')
              : format.list(webhook.actions.map((action) => t(`webhooks.action.${action}`)))}
          </dd>
        </dl>
        <Test params={params} />
        <div className={styles.actions}>
          <Button onPress={() => setOpen('edit')}>{t('webhooks.edit')}</Button>
          <Button isDisabled={toggle.isPending} onPress={() => toggle.mutate()}>
            {t(webhook.isEnabled ? 'webhooks.disable' : 'webhooks.enable')}
          </Button>
          <Button onPress={() => setOpen('rotate')}>{t('webhooks.rotate')}</Button>
          <Button icon="trash" onPress={() => setOpen('delete')}>
            {t('webhooks.delete')}
          </Button>
          {toggle.error && <small className={styles.bad}>{errorSentence(toggle.error, t, language)}</small>}
        </div>
        <p className={styles.hint}>{t(webhook.isEnabled ? 'webhooks.disableHelp' : 'webhooks.enableHelp')}</p>
      </section>
      <Deliveries {...params} />
      {open && <Dialogs webhook={webhook} open={open} setOpen={setOpen} />}
    </>
  );
}

export function WebhookPage() {
  const { t } = useWords();
  const { user } = useSession();
  const { webhookId } = useParams({ from: '/desk/site/webhooks/$webhookId' });
  const webhooks = useQuery(webhooksQuery(user.accountId));
  return (
    <SitePage title={t('site.webhooks')} isForAdministrators>
      <QueryView query={webhooks}>
        {({ items }) => {
          const webhook = items.find((item) => item.id === webhookId);
          if (webhook) return <Details webhook={webhook} />;
          return (
            <Empty icon="link" title={t('webhooks.missing')} help={t('state.pageMissingHelp')}>
              <Link to="/site/webhooks" className={buttonClass('primary')}>
                {t('webhooks.toAll')}
              </Link>
            </Empty>
          );
        }}
      </QueryView>
    </SitePage>
  );
}
