/** Dialogs to accept or reject a quarantined file. Both require a reason, which the audit trail records. */
import { useState } from 'react';
import type { Upload } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog } from '../../../shared/kit/form-dialog.tsx';
import { SubjectChoice } from '../dialogs.tsx';
import styles from '../equipment.module.css';
import { useEquipmentMutation } from '../equipment-mutation.ts';

function ReasonField({
  reason,
  onChange,
  isMissing,
}: {
  reason: string;
  onChange: (reason: string) => void;
  isMissing: boolean;
}) {
  const { t } = useWords();
  return (
    <Field
      label={t('uploads.reasonField')}
      value={reason}
      onChange={onChange}
      maxLength={500}
      error={isMissing ? t('uploads.reasonMissing') : undefined}
    />
  );
}

export function AcceptDialog({ upload, onClose }: { upload: Upload; onClose: () => void }) {
  const { t, format } = useWords();
  const { user } = useSession();
  const [place, setPlace] = useState({ studyId: upload.studyId ?? '', subjectId: upload.subjectId ?? '' });
  const [reason, setReason] = useState('');
  const [isTried, setTried] = useState(false);
  const accept = useEquipmentMutation(
    () =>
      client.call('acceptUpload', {
        params: { accountId: user.accountId, uploadId: upload.id },
        body: { ...place, reason: reason.trim() },
      }),
    onClose,
  );
  return (
    <FormDialog
      title={t('uploads.acceptTitle', { time: format.moment(upload.startTs) })}
      intro={t('uploads.acceptEffect')}
      submitLabel={t('uploads.accept')}
      mutation={accept}
      onSubmit={() => {
        setTried(true);
        if (place.subjectId && reason.trim()) accept.mutate();
      }}
      onClose={onClose}
    >
      <SubjectChoice {...place} onChange={setPlace} error={isTried ? t('equipment.chooseMissing') : undefined} />
      <ReasonField reason={reason} onChange={setReason} isMissing={isTried && !reason.trim()} />
    </FormDialog>
  );
}

export function RejectDialog({ upload, onClose }: { upload: Upload; onClose: () => void }) {
  const { t, format } = useWords();
  const { user } = useSession();
  const [reason, setReason] = useState('');
  const [isTried, setTried] = useState(false);
  const reject = useEquipmentMutation(
    () =>
      client.call('rejectUpload', {
        params: { accountId: user.accountId, uploadId: upload.id },
        body: { reason: reason.trim() },
      }),
    onClose,
  );
  return (
    <FormDialog
      title={t('uploads.rejectTitle', { time: format.moment(upload.startTs) })}
      submitLabel={t('uploads.reject')}
      mutation={reject}
      onSubmit={() => {
        setTried(true);
        if (reason.trim()) reject.mutate();
      }}
      onClose={onClose}
    >
      <ul className={styles.effect}>
        <li>{t('uploads.rejectDevice')}</li>
        <li>{t('uploads.rejectKept')}</li>
      </ul>
      <ReasonField reason={reason} onChange={setReason} isMissing={isTried && !reason.trim()} />
    </FormDialog>
  );
}
