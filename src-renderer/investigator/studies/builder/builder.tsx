/** The definition of a study: its parts edited as one draft, saved as a whole, kept and brought in as a file. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { StudyDetail } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { studyQuery } from '../../../shared/api/queries.ts';
import { useTyped } from '../../../shared/api/session.ts';
import { definitionQuery } from '../../../shared/api/study-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Segments } from '../../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Notice, QueryView } from '../../../shared/kit/state.tsx';
import { useCommands } from '../../commands/commands.ts';
import styles from './builder.module.css';
import { cleaned, type Draft, locksOf, newActivity, newDiary } from './draft.ts';
import { DraftProblems } from './draft-problems.tsx';
import { FieldsEditor } from './fields-editor.tsx';
import { DefinitionFile, Problems } from './file/definition-file.tsx';
import { withMeanwhile } from './meanwhile.ts';
import { type Part, problemsOf } from './problems.ts';
import { ProgramGrid } from './program-grid.tsx';
import { SensorsEditor } from './sensors/sensors-editor.tsx';
import { TasksEditor } from './tasks-editor.tsx';

const PARTS = ['activities', 'diaries', 'fields', 'sensors', 'program'] as const satisfies readonly Part[];

function Editor({ study, saved }: { study: StudyDetail; saved: Draft }) {
  const { t, format } = useWords();
  const queries = useQueryClient();
  const mayEdit = usePermissions()('study.update', study.id);
  const [part, setPart] = useState<Part>('activities');
  const [base, setBase] = useState(saved);
  const [draft, setDraft] = useState(saved);
  const [task, setTask] = useState<string>();
  const [wasTried, setTried] = useState(false);
  const [fileProblem, setFileProblem] = useState<Error | null>(null);
  /** Parts that somebody else changed too while one was typing; null while nobody has saved anything meanwhile. */
  const [meanwhile, setMeanwhile] = useState<readonly Part[] | null>(null);
  const isChanged = draft !== base;
  // What someone else saved shows at once, beside what is being typed here.
  if (saved !== base) {
    const merged = isChanged ? withMeanwhile(base, draft, saved) : { draft: saved, clashes: [] };
    setBase(saved);
    setDraft(merged.draft);
    if (isChanged) setMeanwhile([...new Set([...(meanwhile ?? []), ...merged.clashes])]);
  }
  const isReadOnly = !mayEdit || study.lifecycleState === 'COMPLETE' || study.isArchived;
  const isRunning = study.lifecycleState === 'IN_PROGRESS';
  const locks = locksOf(base, isRunning);
  /** The definition as the site has it now. */
  async function take() {
    const now = await queries.fetchQuery({ ...definitionQuery(study.id), staleTime: 0 });
    setBase(now);
    setDraft(now);
    setTried(false);
    setMeanwhile(null);
    await queries.invalidateQueries({ queryKey: ['study', study.id] });
  }
  const save = useMutation({
    mutationFn: async (): Promise<boolean> => {
      const now = await queries.fetchQuery({ ...definitionQuery(study.id), staleTime: 0 });
      const merged = withMeanwhile(base, draft, now);
      // Shown first: what two people changed is not for the later one to undo unseen.
      if (merged.clashes.length > 0) return false;
      await client.call('importDefinition', { params: { studyId: study.id }, body: cleaned(merged.draft) });
      return true;
    },
    onSuccess: (isSaved) => (isSaved ? take() : undefined),
  });
  useTyped(isChanged);
  const blocker = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  const sent = cleaned(draft);
  const found = problemsOf(sent, isRunning ? base : undefined);
  const problems = wasTried ? found : [];
  const ofSite = useFieldErrors(save.error);
  const errorOf = (path: string) => {
    const problem = problems.find((one) => one.path === path);
    return problem ? t(`builder.problem.${problem.word}`) : ofSite(path);
  };
  function trySaving() {
    setTried(true);
    if (found.length === 0 && !save.isPending) save.mutate();
  }
  const edit = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  useCommands([
    {
      id: 'definition.save',
      label: t('builder.save'),
      keys: ['Mod+Enter'],
      scope: 'page',
      isEnabled: isChanged && !isReadOnly,
      run: trySaving,
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
          hasUnsaved={isChanged}
          onProblem={setFileProblem}
          onImported={take}
        />
      </div>
      {isReadOnly
        ? !mayEdit && <Notice tone="info">{t('builder.readOnly')}</Notice>
        : isRunning && <Notice tone="info">{t('builder.growOnly')}</Notice>}
      {isChanged && meanwhile && (
        <Notice tone={meanwhile.length > 0 ? 'warn' : 'info'}>
          {meanwhile.length > 0
            ? t('builder.conflict', { parts: format.list(meanwhile.map((one) => t(`builder.parts.${one}`))) })
            : t('builder.savedElsewhere')}
        </Notice>
      )}
      {fileProblem && <Problems error={fileProblem} />}
      {problems.length > 0 ? (
        <DraftProblems
          problems={problems}
          onGo={(problem) => {
            setPart(problem.part);
            setTask(problem.taskId);
          }}
        />
      ) : (
        save.error && <Problems error={save.error} />
      )}
      {part === 'activities' && (
        <TasksEditor
          kind="activities"
          tasks={draft.activities}
          make={newActivity}
          chosen={task}
          onChoose={setTask}
          onChange={(activities) => edit({ activities })}
          {...common}
        />
      )}
      {part === 'diaries' && (
        <TasksEditor
          kind="diaries"
          tasks={draft.diaries}
          make={newDiary}
          chosen={task}
          onChoose={setTask}
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
          <Button
            isDisabled={!isChanged}
            onPress={() => {
              setDraft(base);
              setTried(false);
              setMeanwhile(null);
              save.reset();
            }}
          >
            {t('builder.discard')}
          </Button>
          <Button kind="primary" isDisabled={!isChanged || save.isPending} onPress={trySaving}>
            {t('builder.save')}
          </Button>
        </div>
      )}
      {blocker.status === 'blocked' && (
        <FormDialog
          title={t('builder.leaveTitle')}
          intro={t('builder.leaveHelp')}
          submitLabel={t('builder.leave')}
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
