/** Revokes a phone of the subject's own: what becomes of its data, what may not have arrived, and a new code after it. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Device } from '../../../src-server/api/contract/index.ts';
import { deviceQuery } from '../../shared/api/equipment-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { subjectQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { loadWords, useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { InfoDialog } from '../../shared/kit/form-dialog.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import { RevokeForm, useRevocation } from './revoke-form.tsx';

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
  const [step, setStep] = useState<'ask' | 'done' | 'code'>('ask');
  const revocation = useRevocation(phone.id, () => setStep('done'));
  // Not once it is being revoked: the site no longer knows it then.
  const known = useQuery({ ...deviceQuery(user.accountId, phone.id), enabled: revocation.revoke.isIdle }).data;
  if (step !== 'ask') return <Revoked phone={phone} step={step} onCode={() => setStep('code')} onClose={onClose} />;
  const { received } = known ?? {};
  return (
    <RevokeForm name={phone.displayName} revocation={revocation} onClose={onClose}>
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
    </RevokeForm>
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
      <Notice tone="good">{t('devices.phoneRevoked')}</Notice>
      <p>{t('devices.phoneNext')}</p>
      {mayIssue && subject && (
        <div>
          <Button onPress={onCode}>{t('devices.newCode')}</Button>
        </div>
      )}
    </InfoDialog>
  );
}
