/** Dialog that changes an item's name, and the address of a sensor, which may be unknown when it is registered. */
import { useState } from 'react';
import type { FleetDetail } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { useEquipmentMutation } from './equipment-mutation.ts';

export function EditDialog({ item, onClose }: { item: FleetDetail; onClose: () => void }) {
  const { t } = useWords();
  const { user } = useSession();
  const [displayName, setName] = useState(item.displayName);
  const [udid, setUdid] = useState(item.udid ?? '');
  const [isTried, setTried] = useState(false);
  const address = udid.normalize('NFKC').trim();
  // Recordings are matched by the address, so it can be corrected but not removed.
  const isAddressMissing = item.udid !== undefined && !address;
  const save = useEquipmentMutation(
    () =>
      client.call('updateEquipment', {
        params: { accountId: user.accountId, equipmentId: item.id },
        body: {
          displayName: displayName.trim(),
          ...(address && address !== item.udid && { udid: address }),
        },
      }),
    onClose,
  );
  const errorOf = useFieldErrors(save.error);
  return (
    <FormDialog
      title={t('equipment.editTitle', { name: item.displayName })}
      submitLabel={t('equipment.save')}
      mutation={save}
      onSubmit={() => {
        setTried(true);
        if (displayName.trim() && !isAddressMissing) save.mutate();
      }}
      onClose={onClose}
    >
      <Field
        label={t('equipment.name')}
        value={displayName}
        onChange={setName}
        isRequired
        maxLength={100}
        error={isTried && !displayName.trim() ? t('equipment.nameMissing') : errorOf('displayName')}
      />
      <Field
        label={t('equipment.udidShort')}
        help={t('equipment.udidHelp')}
        value={udid}
        onChange={setUdid}
        maxLength={64}
        error={isTried && isAddressMissing ? t('equipment.udidMissing') : errorOf('udid')}
      />
    </FormDialog>
  );
}
