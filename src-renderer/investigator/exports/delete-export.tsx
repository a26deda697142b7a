/** Confirms that the file of an export is deleted. */
import type { StudyExport } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { ConfirmDialog } from '../../shared/kit/confirm-dialog.tsx';

export function DeleteExport({ item, onClose }: { item: StudyExport; onClose: () => void }) {
  const { t, format } = useWords();
  return (
    <ConfirmDialog
      title={t('exports.deleteTitle')}
      effect={t('exports.deleteEffect', {
        format: t(`exports.formats.${item.format}`),
        time: format.moment(item.requestedTs),
      })}
      submitLabel={t('exports.delete')}
      run={() => client.call('deleteStudyExport', { params: { studyId: item.studyId, exportId: item.id } })}
      changes={['export', item.studyId]}
      onClose={onClose}
    />
  );
}
