/** Opens the history of one record on paper. */
import { useNavigate } from '@tanstack/react-router';
import { useWords } from '../../shared/i18n/i18n.ts';
import { IconButton } from '../../shared/kit/controls.tsx';

export function PrintRecord({
  studyId,
  type,
  id,
  name,
}: {
  /** Undefined for a record of the whole account, which administrators print. */
  studyId: string | undefined;
  /** As the audit trail names it, such as `recording`. */
  type: string;
  id: string;
  name: string;
}) {
  const { t } = useWords();
  const navigate = useNavigate();
  const search = { type, record: id };
  return (
    <IconButton
      small
      kind="quiet"
      icon="page"
      label={t('records.printOf', { name })}
      onPress={() =>
        void (studyId === undefined
          ? navigate({ to: '/print/history', search })
          : navigate({ to: '/print/studies/$studyId/history', params: { studyId }, search }))
      }
    />
  );
}
