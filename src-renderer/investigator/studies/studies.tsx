/** All studies of the account; from here a new one is created. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { studySummariesQuery } from '../../shared/api/list-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useRole, useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { Page } from '../../shared/kit/page.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { useCommands } from '../commands/commands.ts';
import { StudyTable } from './study-table.tsx';

const StudyNameDialog = lazy(async () => ({ default: (await import('./life/rename-dialog.tsx')).StudyNameDialog }));

export function Studies() {
  const { t } = useWords();
  const { user } = useSession();
  const navigate = useNavigate();
  const mayEdit = usePermissions()('study.create');
  const role = useRole();
  const studies = useQuery(studySummariesQuery(user.accountId));
  const [isOpen, setOpen] = useState(false);
  useCommands([
    { id: 'study.new', label: t('studyList.new'), scope: 'page', isEnabled: mayEdit, run: () => setOpen(true) },
  ]);
  const create = mayEdit && (
    <Button kind="primary" icon="plus" onPress={() => setOpen(true)}>
      {t('studyList.new')}
    </Button>
  );
  return (
    <Page
      title={t('studies.title')}
      summary={studies.data && studies.data.length > 0 && t('studies.summary', { count: studies.data.length })}
      actions={studies.data && studies.data.length > 0 && create}
    >
      <QueryView query={studies}>
        {(list) =>
          list.length === 0 ? (
            <Empty
              icon="studies"
              title={t('studies.emptyTitle')}
              help={t(
                !mayEdit ? 'studies.emptyHelp' : role === 'ADMIN' ? 'studyList.emptyHelp' : 'studyList.emptyHelpOther',
              )}
            >
              {create}
            </Empty>
          ) : (
            <StudyTable studies={list} />
          )
        }
      </QueryView>
      <Suspense>
        {isOpen && (
          <StudyNameDialog
            onClose={() => setOpen(false)}
            onCreated={(studyId) => void navigate({ to: '/studies/$studyId/definition', params: { studyId } })}
          />
        )}
      </Suspense>
    </Page>
  );
}
