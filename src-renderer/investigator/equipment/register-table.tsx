/** Registers the equipment of a table. */
import { EQUIPMENT_TABLE_HEADER } from '../../../src-server/vocabulary/row-tables.ts';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { RowTableDialog } from '../row-tables/row-table-dialog.tsx';
import { useEquipmentMutation } from './equipment-mutation.ts';

export function RegisterTable({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const { user } = useSession();
  const params = { accountId: user.accountId };
  const call = (csv: string, isPreview: boolean, signal?: AbortSignal) =>
    client.call('registerEquipmentTable', { params, body: { csv, isPreview }, ...(signal && { signal }) });
  const done = useEquipmentMutation(async () => undefined, onClose);
  return (
    <RowTableDialog
      title={t('rowTables.registerTitle')}
      intro={t('rowTables.registerIntro')}
      nameLabel={t('equipment.serial')}
      template={{ header: EQUIPMENT_TABLE_HEADER, fileName: 'equipment.csv' }}
      submitLabel={(count) => t('rowTables.register', { count })}
      previewKey={['equipment']}
      onPreview={(csv, signal) => call(csv, true, signal)}
      onSubmit={(csv) => call(csv, false)}
      onDone={() => done.mutate()}
      onClose={onClose}
    />
  );
}
