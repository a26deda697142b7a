/** The editor of the part of the definition that is open. */
import { AnalysisEditor } from './analysis-editor.tsx';
import { type Draft, type Locks, newActivity, newDiary } from './draft.ts';
import { FieldsEditor } from './fields-editor.tsx';
import type { Part } from './problems.ts';
import { ProgramGrid } from './program-grid.tsx';
import { QualityEditor } from './quality-editor.tsx';
import { SensorsEditor } from './sensors/sensors-editor.tsx';
import { TasksEditor } from './tasks-editor.tsx';

export function PartEditor({
  part,
  draft,
  locks,
  errorOf,
  isReadOnly,
  taskId,
  hasStarted,
  onTask,
  onChange,
}: {
  part: Part;
  draft: Draft;
  locks: Locks;
  errorOf: (path: string) => string | undefined;
  isReadOnly: boolean;
  /** The activity or survey whose form shows. */
  taskId: string | undefined;
  hasStarted: boolean;
  onTask: (id: string) => void;
  onChange: (change: Partial<Draft>) => void;
}) {
  const common = { locks, errorOf, isReadOnly };
  return (
    <>
      {part === 'activities' && (
        <TasksEditor
          kind="activities"
          tasks={draft.activities}
          make={newActivity}
          chosen={taskId}
          onChoose={onTask}
          onChange={(activities) => onChange({ activities })}
          {...common}
        />
      )}
      {part === 'diaries' && (
        <TasksEditor
          kind="diaries"
          tasks={draft.diaries}
          make={newDiary}
          chosen={taskId}
          onChoose={onTask}
          onChange={(diaries) => onChange({ diaries })}
          {...common}
        />
      )}
      {part === 'fields' && (
        <FieldsEditor
          fields={draft.subjectMetadataFields}
          onChange={(subjectMetadataFields) => onChange({ subjectMetadataFields })}
          {...common}
        />
      )}
      {part === 'sensors' && (
        <SensorsEditor
          configs={draft.deviceConfigs}
          locks={locks}
          isReadOnly={isReadOnly}
          onChange={(deviceConfigs) => onChange({ deviceConfigs })}
        />
      )}
      {part === 'program' && <ProgramGrid draft={draft} onChange={(program) => onChange({ program })} {...common} />}
      {part === 'analysis' && (
        <AnalysisEditor
          parameters={draft.analysisParameters}
          isFixed={hasStarted}
          isReadOnly={isReadOnly}
          errorOf={errorOf}
          onChange={(analysisParameters) => onChange({ analysisParameters })}
        />
      )}
      {part === 'quality' && (
        <QualityEditor
          targets={draft.qualityTargets}
          isReadOnly={isReadOnly}
          errorOf={errorOf}
          onChange={(qualityTargets) => onChange({ qualityTargets })}
        />
      )}
    </>
  );
}
