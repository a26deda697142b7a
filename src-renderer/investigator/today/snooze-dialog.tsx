import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AttentionItem } from '../../../src-server/api/contract/index.ts';
import { DAY_MS } from '../../../src-server/durations.ts';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';

type Until = 'tomorrow' | 'threeDays' | 'week';

function untilTs(until: Until): number {
  if (until === 'threeDays') return Date.now() + 3 * DAY_MS;
  if (until === 'week') return Date.now() + 7 * DAY_MS;
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 8).getTime();
}

export function SnoozeDialog({
  item,
  about,
  onClose,
}: {
  item: AttentionItem;
  about: { name: string; text: string };
  onClose: () => void;
}) {
  const { t } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const [until, setUntil] = useState<Until>('tomorrow');
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const snooze = useMutation({
    mutationFn: () =>
      client.call('snoozeAttention', {
        params: { accountId: user.accountId, itemId: item.id },
        body: { untilTs: untilTs(until), reason },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['attention'] });
      onClose();
    },
  });
  const errorOf = useFieldErrors(snooze.error);
  return (
    <FormDialog
      title={t('today.snoozeTitle')}
      intro={t('today.snoozeIntro')}
      submitLabel={t('today.snooze')}
      mutation={snooze}
      onSubmit={() => {
        setMissing(reason.trim() === '');
        if (reason.trim() !== '') snooze.mutate();
      }}
      onClose={onClose}
    >
      <p>
        <strong>{about.name}</strong> {about.text}
      </p>
      <Select
        label={t('today.until')}
        value={until}
        options={[
          { id: 'tomorrow', label: t('today.untilTomorrow') },
          { id: 'threeDays', label: t('today.untilThreeDays') },
          { id: 'week', label: t('today.untilWeek') },
        ]}
        onChange={setUntil}
      />
      <Field
        label={t('today.reason')}
        value={reason}
        onChange={setReason}
        maxLength={500}
        isRequired
        error={isMissing && reason.trim() === '' ? t('today.reasonMissing') : errorOf('reason')}
      />
    </FormDialog>
  );
}
