import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Study } from '../../../../src-server/api/contract/index.ts';
import { loadWords, useWords } from '../../../shared/i18n/i18n.ts';
import { Button } from '../../../shared/kit/controls.tsx';
import { useCommands } from '../../commands/commands.ts';

const EnrolTable = lazy(async () => {
  await loadWords('rowTables');
  return { default: (await import('./enrol-table.tsx')).EnrolTable };
});
const SubjectDialog = lazy(async () => ({ default: (await import('./subject-dialog.tsx')).SubjectDialog }));

/** The buttons that enrol a subject, or those of a table, in one of the studies; render nothing when there is none. */
export function NewSubject({ studies }: { studies: readonly Study[] }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [hasTable, setTable] = useState(false);
  useCommands([
    {
      id: 'subject.new',
      label: t('subjectActions.new'),
      scope: 'page',
      isEnabled: studies.length > 0,
      run: () => setOpen(true),
    },
    {
      id: 'subject.table',
      label: t('subjectActions.table'),
      scope: 'page',
      isEnabled: studies.length > 0,
      run: () => setTable(true),
    },
  ]);
  if (studies.length === 0) return null;
  return (
    <>
      <Button kind="primary" icon="plus" onPress={() => setOpen(true)}>
        {t('subjectActions.new')}
      </Button>
      <Button icon="rows" onPress={() => setTable(true)}>
        {t('subjectActions.table')}
      </Button>
      <Suspense>
        {isOpen && (
          <SubjectDialog
            studies={studies}
            onClose={() => setOpen(false)}
            onSaved={(studyId, subjectId) =>
              void navigate({ to: '/studies/$studyId/subjects/$subjectId', params: { studyId, subjectId } })
            }
          />
        )}
        {hasTable && <EnrolTable studies={studies} onClose={() => setTable(false)} />}
      </Suspense>
    </>
  );
}
