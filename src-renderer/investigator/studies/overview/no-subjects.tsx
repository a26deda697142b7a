import { Link } from '@tanstack/react-router';
import type { StudyDetail } from '../../../../src-server/api/contract/index.ts';
import { isLocked } from '../../../shared/api/permission-check.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { buttonClass } from '../../../shared/kit/controls.tsx';
import { Empty } from '../../../shared/kit/state.tsx';

/** A study without subjects: says whether to build its definition or to enrol a subject next. */
export function NoSubjects({ study }: { study: StudyDetail }) {
  const { t } = useWords();
  const mayBuild = usePermissions()('study.update', study.id) && !isLocked(study);
  const isEmpty = study.activities.length + study.diaries.length + study.deviceConfigs.length === 0;
  return (
    <Empty
      icon="subjects"
      title={t('subjects.emptyTitle')}
      help={t(mayBuild && isEmpty ? 'overview.buildHelp' : mayBuild ? 'overview.emptyHelp' : 'subjects.emptyHelp')}
    >
      {mayBuild && isEmpty && (
        <Link to="/studies/$studyId/definition" params={{ studyId: study.id }} className={buttonClass()}>
          {t('overview.build')}
        </Link>
      )}
    </Empty>
  );
}
