/** One webhook: its address, state and deliveries. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Webhook } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useSession } from '../../../shared/api/session.ts';
import { webhooksQuery } from '../../../shared/api/site-queries.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, buttonClass } from '../../../shared/kit/controls.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { Empty, ErrorNotice, errorSentence, Notice, QueryView } from '../../../shared/kit/state.tsx';
import styles from '../site.module.css';
import { SitePage } from '../site-page.tsx';
import { Deliveries, useOutcome } from './deliveries.tsx';
import { type OpenDialog, WebhookDialogs } from './dialogs.tsx';
import { WebhookState } from './webhooks.tsx';

/** Sends a sample event and shows the receiver's response. */
function Test({ params, children }: { params: { accountId: string; webhookId: string }; children: ReactNode }) {
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
        {children}
      </div>
      {test.data && (
        <Notice tone={test.data.state === 'delivered' ? 'good' : 'bad'}>
          <p>{t(test.data.state === 'delivered' ? 'webhooks.testPassed' : 'webhooks.testFailed')}</p>
          <small>{outcome(test.data)}</small>
        </Notice>
      )}
      {test.error && <ErrorNotice error={test.error} onRetry={() => test.mutate()} />}
    </>
  );
}

function Details({ webhook }: { webhook: Webhook }) {
  const { t, format, language } = useWords();
  const diagnosticText = useDiagnosticText();
  const queries = useQueryClient();
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const params = { accountId: webhook.accountId, webhookId: webhook.id };
  const toggle = useMutation({
    mutationFn: () => client.call('updateWebhook', { params, body: { isEnabled: !webhook.isEnabled } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhook'] }),
  });
  return (
    <>
      <section className={`${panelClass} ${styles.card}`} aria-label={webhook.displayName}>
        {webhook.diagnostic && <Notice tone="warn">{diagnosticText(webhook.diagnostic)}</Notice>}
        <dl className={styles.facts}>
          <dt>{t('exports.stateTitle')}</dt>
          <dd>
            <WebhookState webhook={webhook} />
          </dd>
          <dt>{t('webhooks.url')}</dt>
          <dd className={styles.mono}>{webhook.url}</dd>
          <dt>{t('webhooks.actions')}</dt>
          <dd>
            {webhook.actions.length === 0
              ? t('webhooks.allActions')
              : format.list(webhook.actions.map((action) => t(`webhooks.action.${action}`)))}
          </dd>
        </dl>
        <Test params={params}>
          <Button onPress={() => setOpen('edit')}>{t('webhooks.edit')}</Button>
          <Button isDisabled={toggle.isPending} onPress={() => toggle.mutate()}>
            {t(webhook.isEnabled ? 'webhooks.disable' : 'webhooks.enable')}
          </Button>
          <Button onPress={() => setOpen('rotate')}>{t('webhooks.rotate')}</Button>
          <Button icon="trash" onPress={() => setOpen('delete')}>
            {t('webhooks.delete')}
          </Button>
          {toggle.error && <small className={styles.bad}>{errorSentence(toggle.error, t, language)}</small>}
        </Test>
        <p className={styles.hint}>{t(webhook.isEnabled ? 'webhooks.disableHelp' : 'webhooks.enableHelp')}</p>
      </section>
      <Deliveries {...params} />
      {open && <WebhookDialogs webhook={webhook} open={open} setOpen={setOpen} />}
    </>
  );
}

export function WebhookPage() {
  const { t } = useWords();
  const { user } = useSession();
  const { webhookId } = useParams({ from: '/desk/site/webhooks/$webhookId' });
  const webhooks = useQuery(webhooksQuery(user.accountId));
  return (
    <SitePage
      title={webhooks.data?.items.find(({ id }) => id === webhookId)?.displayName ?? t('site.webhooks')}
      isForAdministrators
    >
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
