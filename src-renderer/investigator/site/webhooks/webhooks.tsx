/** Webhooks: addresses that receive events. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Webhook } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useSession } from '../../../shared/api/session.ts';
import { settingsQuery, webhooksQuery } from '../../../shared/api/site-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Pill } from '../../../shared/kit/controls.tsx';
import { type Column, DataTable } from '../../../shared/kit/data-table.tsx';
import { FormProblem, InfoDialog } from '../../../shared/kit/form-dialog.tsx';
import { Checkbox, SecretText } from '../../../shared/kit/forms.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { Empty, Notice, QueryView } from '../../../shared/kit/state.tsx';
import { NewButton } from '../../commands/new-button.tsx';
import styles from '../site.module.css';
import { SitePage } from '../site-page.tsx';
import { EMPTY_WEBHOOK, WebhookForm } from './webhook-form.tsx';

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { t, format } = useWords();
  if (!webhook.isEnabled) return <Pill>{t('webhooks.disabled')}</Pill>;
  if (webhook.failingSinceTs !== undefined)
    return <Pill tone="bad">{t('webhooks.failing', { time: format.moment(webhook.failingSinceTs) })}</Pill>;
  return <Pill tone="good">{t('webhooks.enabled')}</Pill>;
}

function LocalTargets() {
  const { t } = useWords();
  const queries = useQueryClient();
  const settings = useQuery(settingsQuery());
  const save = useMutation({
    mutationFn: (allowLocalTargets: boolean) =>
      client.call('updateSiteSettings', { body: { webhooks: { allowLocalTargets } } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['setting'] }),
  });
  if (!settings.data) return null;
  const isAllowed = save.isPending ? save.variables : settings.data.webhooks.allowLocalTargets;
  return (
    <div className={`${panelClass} ${styles.card}`}>
      <Checkbox
        label={t('webhooks.allowLocal')}
        help={t('webhooks.allowLocalHelp')}
        isSelected={isAllowed}
        onChange={(next) => save.mutate(next)}
      />
      <FormProblem error={save.error} />
    </div>
  );
}

function WebhookTable({ items }: { items: Webhook[] }) {
  const { t, format } = useWords();
  const columns = useMemo(
    (): Column<Webhook>[] => [
      {
        id: 'name',
        header: t('webhooks.name'),
        value: (row) => row.displayName,
        cell: (row) => (
          <Link to="/site/webhooks/$webhookId" params={{ webhookId: row.id }}>
            {row.displayName}
          </Link>
        ),
      },
      { id: 'url', header: t('webhooks.url'), value: (row) => row.url, cell: (row) => <code>{row.url}</code> },
      {
        id: 'actions',
        header: t('webhooks.actions'),
        isSecondary: true,
        cell: (row) =>
          row.actions.length === 0
            ? t('webhooks.allActions')
            : t('webhooks.someActions', { count: row.actions.length }),
      },
      {
        id: 'state',
        header: t('exports.stateTitle'),
        value: (row) => (row.isEnabled ? (row.failingSinceTs ?? 1) : 0),
        cell: (row) => <WebhookState webhook={row} />,
      },
      {
        id: 'created',
        header: t('studies.created'),
        isNumber: true,
        isSecondary: true,
        value: (row) => row.createdTs,
        cell: (row) => format.moment(row.createdTs),
      },
    ],
    [t, format],
  );
  return (
    <DataTable
      caption={t('site.webhooks')}
      rows={items}
      columns={columns}
      rowId={(row) => row.id}
      initialSort={{ id: 'name', desc: false }}
    />
  );
}

function Content() {
  const { t } = useWords();
  const { user } = useSession();
  const webhooks = useQuery(webhooksQuery(user.accountId));
  return (
    <>
      <QueryView query={webhooks}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="link" title={t('webhooks.emptyTitle')} help={t('webhooks.emptyHelp')} />
          ) : (
            <WebhookTable items={items} />
          )
        }
      </QueryView>
      <LocalTargets />
    </>
  );
}

/** Shows a new signing secret, which can be read only once, with what it is for. */
export function ShownSecret({
  secret,
  untilTs,
  onClose,
}: {
  secret: string;
  /** Until when the previous secret signs as well. */
  untilTs?: number;
  onClose: () => void;
}) {
  const { t, format } = useWords();
  return (
    <InfoDialog title={t('webhooks.secretTitle')} onClose={onClose}>
      <p>{t('webhooks.secretHelp')}</p>
      <SecretText label={t('webhooks.secretTitle')} text={secret} />
      {untilTs !== undefined && (
        <Notice tone="info">{t('webhooks.previousSecretUntil', { time: format.moment(untilTs) })}</Notice>
      )}
      <Notice tone="warn">{t('webhooks.secretOnce')}</Notice>
    </InfoDialog>
  );
}

export function Webhooks() {
  const { t } = useWords();
  const { user } = useSession();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  return (
    <SitePage
      title={t('site.webhooks')}
      summary={t('webhooks.summary')}
      isForAdministrators
      actions={<NewButton id="webhooks.add" label={t('webhooks.add')} onPress={() => setAdding(true)} />}
    >
      <Content />
      {isAdding && (
        <WebhookForm
          title={t('webhooks.addTitle')}
          submitLabel={t('webhooks.create')}
          initial={EMPTY_WEBHOOK}
          onSave={async ({ trustedCertificate, ...body }) => {
            const made = await client.call('createWebhook', {
              params: { accountId: user.accountId },
              body: { ...body, ...(trustedCertificate !== null && { trustedCertificate }) },
            });
            void queries.invalidateQueries({ queryKey: ['webhook'] });
            setCreated(made);
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {created && (
        <ShownSecret
          secret={created.secret}
          onClose={() => {
            setCreated(null);
            void navigate({ to: '/site/webhooks/$webhookId', params: { webhookId: created.id } });
          }}
        />
      )}
    </SitePage>
  );
}
