/** Dialogs to revoke and rename a paired device. Revoking states its effect before the user confirms. */
import { useState } from 'react';
import type { FleetItem } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { useEquipmentMutation } from './equipment-mutation.ts';
import { RevokeForm, useRevocation } from './revoke-form.tsx';

interface PairedDevice {
  /** Id of the paired device, which is not the id of its fleet entry. */
  id: string;
  displayName: string;
  held?: FleetItem['held'];
}

export function RevokeDialog({ device, onClose }: { device: PairedDevice; onClose: () => void }) {
  const { t, format } = useWords();
  const revocation = useRevocation(device.id, onClose);
  const { held } = device;
  return (
    <RevokeForm name={device.displayName} revocation={revocation} onClose={onClose}>
      <li>{t('devices.revokeNow')}</li>
      <li>
        {!held
          ? t('devices.revokeUnknown')
          : held.recordings === 0
            ? t('devices.revokeNothing')
            : t('devices.revokePending', { count: held.recordings, size: format.bytes(held.sizeBytes) })}
      </li>
      <li>{t('devices.revokeKept')}</li>
    </RevokeForm>
  );
}

export function RenameDialog({ device, onClose }: { device: PairedDevice; onClose: () => void }) {
  const { t } = useWords();
  const { user } = useSession();
  const [displayName, setName] = useState(device.displayName);
  const rename = useEquipmentMutation(
    () =>
      client.call('renameDevice', {
        params: { accountId: user.accountId, deviceId: device.id },
        body: { displayName: displayName.trim() },
      }),
    onClose,
  );
  const errorOf = useFieldErrors(rename.error);
  return (
    <FormDialog
      title={t('devices.renameTitle', { name: device.displayName })}
      submitLabel={t('devices.rename')}
      mutation={rename}
      isDisabled={!displayName.trim()}
      onSubmit={() => rename.mutate()}
      onClose={onClose}
    >
      <Field
        label={t('equipment.name')}
        value={displayName}
        onChange={setName}
        maxLength={100}
        error={errorOf('displayName')}
      />
    </FormDialog>
  );
}
