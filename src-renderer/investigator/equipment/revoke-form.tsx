/** The form that revokes a device: its effects, and a reason for the audit trail. */
import { type ReactNode, useState } from 'react';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import styles from './equipment.module.css';
import { useEquipmentMutation } from './equipment-mutation.ts';

export function useRevocation(deviceId: string, onRevoked: () => void) {
  const { user } = useSession();
  const [reason, setReason] = useState('');
  const revoke = useEquipmentMutation(
    () =>
      client.call('revokeDevice', {
        params: { accountId: user.accountId, deviceId },
        query: reason.trim() ? { reason: reason.trim() } : {},
      }),
    onRevoked,
  );
  return { reason, setReason, revoke };
}

/** @param children list items, one for each effect */
export function RevokeForm({
  name,
  revocation: { reason, setReason, revoke },
  onClose,
  children,
}: {
  name: string;
  revocation: ReturnType<typeof useRevocation>;
  onClose: () => void;
  children: ReactNode;
}) {
  const { t } = useWords();
  const errorOf = useFieldErrors(revoke.error);
  return (
    <FormDialog
      title={t('devices.revokeTitle', { name })}
      submitLabel={t('devices.revoke')}
      mutation={revoke}
      onSubmit={() => revoke.mutate()}
      onClose={onClose}
    >
      <ul className={styles.effect}>{children}</ul>
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
