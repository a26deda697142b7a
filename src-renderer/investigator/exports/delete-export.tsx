import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { StudyExport } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { FormDialog } from '../../shared/kit/form-dialog.tsx';

export function DeleteExport({ item, onClose }: { item: StudyExport; onClose: () => void }) {
  const { t, format } = useWords();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.call('deleteStudyExport', { params: { studyId: item.studyId, exportId: item.id } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['export', item.studyId] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('exports.deleteTitle')}
      submitLabel={t('exports.delete')}
      mutation={remove}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        {t('exports.deleteEffect', {
          format: t(`exports.formats.${item.format}`),
          time: format.moment(item.requestedTs),
        })}
      </p>
    </FormDialog>
  );
}
