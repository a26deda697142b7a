/** The definition of a study: its parts edited as one draft, saved as a whole, exported and imported as a file. */

import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { StudyDetail } from '../../../../src-server/api/contract/index.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { studyQuery } from '../../../shared/api/queries.ts';
import { useUnsavedInput } from '../../../shared/api/session.ts';
import { definitionQuery } from '../../../shared/api/study-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Segments } from '../../../shared/kit/controls.tsx';
import { useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Notice, QueryView } from '../../../shared/kit/state.tsx';
import { useCommands } from '../../commands/commands.ts';
import styles from './builder.module.css';
import { type Draft, locksOf } from './draft.ts';
import { DraftProblems } from './draft-problems.tsx';
import { DefinitionFile, Problems } from './file/definition-file.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { PartEditor } from './part-editor.tsx';
import type { Part } from './problems.ts';
import { useDefinitionDraft } from './use-definition-draft.ts';

const PARTS = [
  'activities',
  'diaries',
  'fields',
  'sensors',
  'program',
  'analysis',
  'quality',
] as const satisfies readonly Part[];
/** Parts that a running study may change freely or not at all. */
const NOT_GROWING: readonly Part[] = ['analysis', 'quality'];

/** Says that someone else saved the definition while it was being edited here, and which parts clash. */
function MeanwhileNotice({ clashes }: { clashes: readonly Part[] }) {
  const { t, format } = useWords();
  return (
    <Notice tone={clashes.length > 0 ? 'warn' : 'info'}>
      {clashes.length > 0
        ? t('builder.conflict', { parts: format.list(clashes.map((part) => t(`builder.parts.${part}`))) })
        : t('builder.savedElsewhere')}
    </Notice>
  );
}

function Editor({ study, saved }: { study: StudyDetail; saved: Draft }) {
  const { t } = useWords();
  const mayEdit = usePermissions()('study.update', study.id);
  const { part: linked } = useSearch({ from: '/desk/studies/$studyId/definition' });
  const [part, setPart] = useState<Part>(linked ?? 'activities');
  const [taskId, setTaskId] = useState<string>();
  const [fileProblem, setFileProblem] = useState<Error | null>(null);
  const isReadOnly = !mayEdit || study.lifecycleState === 'COMPLETE' || study.isArchived;
  const isRunning = study.lifecycleState === 'IN_PROGRESS';
  const { base, draft, clashes, isChanged, problems, save, reload, edit, discard, trySaving } = useDefinitionDraft(
    study.id,
    saved,
    isRunning,
  );
  useUnsavedInput(isChanged);
  const siteErrorOf = useFieldErrors(save.error);
  const errorOf = (path: string) => {
    const problem = problems.find((one) => one.path === path);
    return problem ? t(`builder.problem.${problem.word}`) : siteErrorOf(path);
  };
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
          onImported={reload}
        />
      </div>
      {isReadOnly
        ? !mayEdit && <Notice tone="info">{t('builder.readOnly')}</Notice>
        : isRunning && !NOT_GROWING.includes(part) && <Notice tone="info">{t('builder.growOnly')}</Notice>}
      {isChanged && clashes && <MeanwhileNotice clashes={clashes} />}
      {fileProblem && <Problems error={fileProblem} />}
      {problems.length > 0 ? (
        <DraftProblems
          problems={problems}
          onGo={(problem) => {
            setPart(problem.part);
            setTaskId(problem.taskId);
          }}
        />
      ) : (
        save.error && <Problems error={save.error} />
      )}
      <PartEditor
        {...{ part, draft, errorOf, isReadOnly, taskId }}
        locks={locksOf(base, isRunning)}
        hasStarted={study.lifecycleState !== 'INITIALIZED'}
        onTask={setTaskId}
        onChange={edit}
      />
      {!isReadOnly && (
        <div className={styles.saveBar} data-changed={isChanged || undefined}>
          <span role="status">{t(isChanged ? 'builder.changed' : 'builder.unchanged')}</span>
          <Button isDisabled={!isChanged} onPress={discard}>
            {t('builder.discard')}
          </Button>
          <Button kind="primary" isDisabled={!isChanged || save.isPending} onPress={trySaving}>
            {t('builder.save')}
          </Button>
        </div>
      )}
      <LeaveDialog isChanged={isChanged} />
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
