/** The definition of a study: its parts edited as one draft, saved as a whole, kept and brought in as a file. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { StudyDetail } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useMay } from '../../../shared/api/permissions.ts';
import { studyQuery } from '../../../shared/api/queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Segments } from '../../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Notice, QueryView } from '../../../shared/kit/state.tsx';
import { useCommands } from '../../commands/commands.ts';
import styles from './builder.module.css';
import { definitionQuery } from './definition-query.ts';
import { type Draft, locksOf, newActivity, newDiary } from './draft.ts';
import { FieldsEditor } from './fields-editor.tsx';
import { DefinitionFile, Problems } from './file/definition-file.tsx';
import { ProgramGrid } from './program-grid.tsx';
import { SensorsEditor } from './sensors/sensors-editor.tsx';
import { TasksEditor } from './tasks-editor.tsx';

const PARTS = ['activities', 'diaries', 'fields', 'sensors', 'program'] as const;
type Part = (typeof PARTS)[number];

/** Empty lines of a choice are no options. */
function cleaned(draft: Draft): Draft {
  const values = <T extends { values: string[] }>(one: T): T => ({
    ...one,
    values: one.values.map((value) => value.trim()).filter(Boolean),
  });
  const task = <T extends Draft['diaries'][number]>(one: T): T => ({ ...one, questions: one.questions.map(values) });
  return {
    ...draft,
    subjectMetadataFields: draft.subjectMetadataFields.map(values),
    activities: draft.activities.map(task),
    diaries: draft.diaries.map(task),
  };
}

function Editor({ study, saved }: { study: StudyDetail; saved: Draft }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const mayEdit = useMay()('study.update', study.id);
  const [part, setPart] = useState<Part>('activities');
  const [base, setBase] = useState(saved);
  const [draft, setDraft] = useState(saved);
  const [fileProblem, setFileProblem] = useState<Error | null>(null);
  const isChanged = draft !== base;
  // What someone else saved shows at once, unless it would take away what is being typed here.
  if (saved !== base && !isChanged) {
    setBase(saved);
    setDraft(saved);
  }
  const isReadOnly = !mayEdit || study.lifecycleState === 'COMPLETE' || study.isArchived;
  const isRunning = study.lifecycleState === 'IN_PROGRESS';
  const locks = locksOf(base, isRunning);
  /** The definition as the site has it now. */
  async function take() {
    const now = await queries.fetchQuery({ ...definitionQuery(study.id), staleTime: 0 });
    setBase(now);
    setDraft(now);
    await queries.invalidateQueries({ queryKey: ['study', study.id] });
  }
  const save = useMutation({
    mutationFn: () => client.call('importDefinition', { params: { studyId: study.id }, body: cleaned(draft) }),
    onSuccess: () => take(),
  });
  const blocker = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  const errorOf = useFieldErrors(save.error);
  const edit = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  useCommands([
    {
      id: 'definition.save',
      label: t('builder.save'),
      keys: ['Mod+Enter'],
      scope: 'page',
      isEnabled: isChanged && !isReadOnly,
      run: () => save.mutate(),
    },
  ]);
  const common = { locks, errorOf, isReadOnly };
  return (
    <section className={styles.builder} aria-label={t('studyTabs.definition')}>
      <div className={styles.tools}>
        <Segments
          label={t('builder.part')}
          value={part}
          options={PARTS.map((id) => ({ id, label: t(`builder.parts.${id}`) }))}
          onChange={setPart}
        />
        <DefinitionFile
          study={study}
          saved={base}
          isReadOnly={isReadOnly}
          isBusy={isChanged}
          onProblem={setFileProblem}
          onImported={take}
        />
      </div>
      {isReadOnly ? (
        <Notice tone="info">{t(mayEdit ? 'builder.readOnly' : 'builder.notYours')}</Notice>
      ) : (
        isRunning && <Notice tone="info">{t('builder.grows')}</Notice>
      )}
      {fileProblem && <Problems error={fileProblem} />}
      {save.error && <Problems error={save.error} />}
      {part === 'activities' && (
        <TasksEditor
          kind="activities"
          tasks={draft.activities}
          make={newActivity}
          onChange={(activities) => edit({ activities })}
          {...common}
        />
      )}
      {part === 'diaries' && (
        <TasksEditor
          kind="diaries"
          tasks={draft.diaries}
          make={newDiary}
          onChange={(diaries) => edit({ diaries })}
          {...common}
        />
      )}
      {part === 'fields' && (
        <FieldsEditor
          fields={draft.subjectMetadataFields}
          onChange={(subjectMetadataFields) => edit({ subjectMetadataFields })}
          {...common}
        />
      )}
      {part === 'sensors' && (
        <SensorsEditor
          configs={draft.deviceConfigs}
          locks={locks}
          isReadOnly={isReadOnly}
          onChange={(deviceConfigs) => edit({ deviceConfigs })}
        />
      )}
      {part === 'program' && <ProgramGrid draft={draft} onChange={(program) => edit({ program })} {...common} />}
      {!isReadOnly && (
        <div className={styles.saveBar} data-changed={isChanged || undefined}>
          <span role="status">{t(isChanged ? 'builder.changed' : 'builder.unchanged')}</span>
          <Button isDisabled={!isChanged} onPress={() => setDraft(base)}>
            {t('builder.discard')}
          </Button>
          <Button kind="primary" isDisabled={!isChanged || save.isPending} onPress={() => save.mutate()}>
            {t('builder.save')}
          </Button>
        </div>
      )}
      {blocker.status === 'blocked' && (
        <FormDialog
          title={t('builder.leaveTitle')}
          intro={t('builder.leaveHelp')}
          submitLabel={t('builder.leave')}
          isPending={false}
          error={null}
          onClose={() => blocker.reset()}
          onSubmit={() => blocker.proceed()}
        />
      )}
    </section>
  );
}

export function StudyBuilder() {
  const { studyId } = useParams({ from: '/desk/studies/$studyId' });
  const study = useQuery(studyQuery(studyId));
  const definition = useQuery(definitionQuery(studyId));
  return (
    <QueryView query={study}>
      {(data) => <QueryView query={definition}>{(saved) => <Editor study={data} saved={saved} />}</QueryView>}
    </QueryView>
  );
}
