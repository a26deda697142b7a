/** What an address shows whose recording the subject does not have. */
import { Link, useParams } from '@tanstack/react-router';
import { useWords } from '../../shared/i18n/i18n.ts';
import { buttonClass } from '../../shared/kit/controls.tsx';
import { Empty } from '../../shared/kit/state.tsx';

export function MissingRecording() {
  const { t } = useWords();
  const { studyId = '', subjectId = '' } = useParams({ strict: false });
  return (
    <Empty icon="page" title={t('viewer.missing')} help={t('viewer.missingHelp')}>
      <Link
        to="/studies/$studyId/subjects/$subjectId/recordings"
        params={{ studyId, subjectId }}
        className={buttonClass('primary')}
      >
        {t('viewer.allRecordings')}
      </Link>
    </Empty>
  );
}
