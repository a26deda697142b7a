import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Webhook } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { FormDialog } from '../../../shared/kit/form-dialog.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { ShownSecret } from './webhooks.tsx';

export type OpenDialog = 'edit' | 'rotate' | 'delete' | { secret: string; previousUntilTs: number };

/** The dialogs of a webhook: edit, rotate the secret, delete, and the new secret. */
export function WebhookDialogs({
  webhook,
  open,
  setOpen,
}: {
  webhook: Webhook;
  open: OpenDialog;
  setOpen: (open: OpenDialog | null) => void;
}) {
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
        mutation={rotate}
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
        mutation={remove}
        onSubmit={() => remove.mutate()}
        onClose={close}
      >
        <p>{t('webhooks.deleteEffect')}</p>
      </FormDialog>
    );
  }
  return <ShownSecret secret={open.secret} untilTs={open.previousUntilTs} onClose={close} />;
}
