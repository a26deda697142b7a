/** Revokes a phone of the subject's own: what becomes of its data, what may not have arrived, and a new code after it. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Device } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { deviceQuery } from '../../shared/api/equipment-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { subjectQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { loadWords, useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field } from '../../shared/kit/controls.tsx';
import { FormDialog, InfoDialog, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import styles from './equipment.module.css';
import { useEquipmentMutation } from './equipment-mutation.ts';

const TokenDialog = lazy(async () => {
  await loadWords('studies');
  return { default: (await import('../subjects/edit/token-dialog.tsx')).TokenDialog };
});

type OwnPhone = Pick<Device, 'id' | 'lastContactTs' | 'studyId' | 'subjectId'> & { displayName: string };

export const isOwnPhone = ({ kind, equipmentId, subjectId }: Device): boolean =>
  kind === 'PHONE' && equipmentId === undefined && subjectId !== undefined;

export function RevokePhoneDialog({ phone, onClose }: { phone: OwnPhone; onClose: () => void }) {
  const { t, format } = useWords();
  const { user } = useSession();
  const [reason, setReason] = useState('');
  const [step, setStep] = useState<'ask' | 'done' | 'code'>('ask');
  const known = useQuery({ ...deviceQuery(user.accountId, phone.id), enabled: step === 'ask' }).data;
  const revoke = useEquipmentMutation(
    () =>
      client.call('revokeDevice', {
        params: { accountId: user.accountId, deviceId: phone.id },
        query: reason.trim() ? { reason: reason.trim() } : {},
      }),
    () => setStep('done'),
  );
  const errorOf = useFieldErrors(revoke.error);
  if (step !== 'ask') return <Revoked phone={phone} step={step} onCode={() => setStep('code')} onClose={onClose} />;
  const { received } = known ?? {};
  return (
    <FormDialog
      title={t('devices.revokeTitle', { name: phone.displayName })}
      submitLabel={t('devices.revoke')}
      mutation={revoke}
      onSubmit={() => revoke.mutate()}
      onClose={onClose}
    >
      <ul className={styles.effect}>
        <li>{t('devices.revokeNow')}</li>
        <li>{t('devices.phoneWipes')}</li>
        <li>{t('devices.phoneLoses')}</li>
        <li>
          {phone.lastContactTs === undefined
            ? t('devices.phoneNeverCalled')
            : t('devices.phoneLastContact', { time: format.moment(phone.lastContactTs) })}{' '}
          {received &&
            t('devices.phoneReceived', {
              reports: format.number(received.taskReports),
              messages: format.number(received.messages),
            })}
        </li>
        <li>{t('devices.phoneKept')}</li>
      </ul>
      <Field
        label={t('devices.reason')}
        value={reason}
        onChange={setReason}
        maxLength={500}
        error={errorOf('reason')}
      />
    </FormDialog>
  );
}

function Revoked({
  phone,
  step,
  onCode,
  onClose,
}: {
  phone: OwnPhone;
  step: 'done' | 'code';
  onCode: () => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const can = usePermissions();
  const { studyId = '', subjectId = '' } = phone;
  const mayIssue = can('subject.token', studyId);
  const subject = useQuery({ ...subjectQuery(studyId, subjectId), enabled: mayIssue }).data;
  if (step === 'code' && subject) {
    return (
      <Suspense>
        <TokenDialog subject={subject} onClose={onClose} />
      </Suspense>
    );
  }
  return (
    <InfoDialog title={t('devices.revokeTitle', { name: phone.displayName })} onClose={onClose}>
      <div role="status">
        <Notice tone="good">{t('devices.phoneRevoked')}</Notice>
      </div>
      <p>{t('devices.phoneNext')}</p>
      {mayIssue && subject && (
        <div>
          <Button kind="primary" onPress={onCode}>
            {t('devices.newCode')}
          </Button>
        </div>
      )}
    </InfoDialog>
  );
}
