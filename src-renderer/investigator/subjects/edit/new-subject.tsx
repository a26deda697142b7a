import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Study } from '../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button } from '../../../shared/kit/controls.tsx';
import { useCommands } from '../../commands/commands.ts';

const SubjectDialog = lazy(async () => ({ default: (await import('./subject-dialog.tsx')).SubjectDialog }));

/** The button that enrols a subject in one of the studies; renders nothing when there is none. */
export function NewSubject({ studies }: { studies: readonly Study[] }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  useCommands([
    {
      id: 'subject.new',
      label: t('subjectActions.new'),
      scope: 'page',
      isEnabled: studies.length > 0,
      run: () => setOpen(true),
    },
  ]);
  if (studies.length === 0) return null;
  return (
    <>
      <Button kind="primary" icon="plus" onPress={() => setOpen(true)}>
        {t('subjectActions.new')}
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
      </Suspense>
    </>
  );
}
