/** A prominent link to another view of the same subject, for a view that has nothing to show yet. */
import { Link } from '@tanstack/react-router';
import { useWords } from '../../shared/i18n/i18n.ts';
import { buttonClass } from '../../shared/kit/controls.tsx';

const LABELS = {
  coverage: 'subject.toCoverage',
  recordings: 'subject.toRecordings',
  equipment: 'subject.toEquipment',
} as const;

export function SubjectLink({
  view,
  studyId,
  subjectId,
}: {
  view: keyof typeof LABELS;
  studyId: string;
  subjectId: string;
}) {
  const { t } = useWords();
  return (
    <Link
      to={`/studies/$studyId/subjects/$subjectId/${view}`}
      params={{ studyId, subjectId }}
      className={buttonClass('primary')}
    >
      {t(LABELS[view])}
    </Link>
  );
}
