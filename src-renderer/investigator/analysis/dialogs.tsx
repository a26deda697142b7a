/** Starting and adopting an analysis run, and pinning a study to a version. */
import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Analysis, AnalysisRun } from '../../../src-server/api/contract/index.ts';
import { analysisKey } from '../../shared/api/analysis-queries.ts';
import { client } from '../../shared/api/client.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { TextAreaField } from '../../shared/kit/forms.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import { AnalysisEditor } from '../studies/builder/analysis-editor.tsx';

const isGiven = (text: string) => text.trim() !== '';

/** Everything that a study shows follows from the results in use. */
function useRefreshStudy(studyId: string): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await queries.invalidateQueries({ queryKey: analysisKey(studyId) });
    void queries.invalidateQueries({ queryKey: ['study'] });
    void queries.invalidateQueries({ queryKey: ['analytics', studyId] });
    void queries.invalidateQueries({ queryKey: ['adherence', studyId] });
    void queries.invalidateQueries({ queryKey: ['attention'] });
  };
}

function ReasonField({
  value,
  onChange,
  isMissing,
  help,
}: {
  value: string;
  onChange: (value: string) => void;
  isMissing: boolean;
  help?: string;
}) {
  const { t } = useWords();
  return (
    <TextAreaField
      label={t('runs.reason')}
      value={value}
      onChange={onChange}
      rows={2}
      {...(help !== undefined && { help })}
      {...(isMissing && { error: t('runs.reasonMissing') })}
    />
  );
}

export function NewRunDialog({
  studyId,
  analysis,
  onStarted,
  onClose,
}: {
  studyId: string;
  analysis: Analysis;
  onStarted: (runId: string) => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const refresh = useRefreshStudy(studyId);
  const [name, setName] = useState('');
  const [reason, setReason] = useState('');
  const [parameters, setParameters] = useState(analysis.parameters);
  const start = useMutation({
    mutationFn: () =>
      client.call('createAnalysisRun', {
        params: { studyId },
        body: { name: name.trim(), reason: reason.trim(), parameters },
      }),
    onSuccess: async ({ id }) => {
      await refresh();
      onStarted(id);
      onClose();
    },
  });
  const errorOf = useFieldErrors(start.error);
  const { wasTried, onSubmit } = useCheckedSubmit(isGiven(name) && isGiven(reason), () => start.mutate());
  const nameError = wasTried && !isGiven(name) ? t('runs.nameMissing') : errorOf('name');
  return (
    <FormDialog
      title={t('runs.new')}
      intro={t('runs.newIntro', { version: analysis.programVersion })}
      submitLabel={t('runs.start')}
      mutation={start}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Field
        label={t('runs.name')}
        value={name}
        onChange={setName}
        maxLength={100}
        {...(nameError !== undefined && { error: nameError })}
      />
      <ReasonField value={reason} onChange={setReason} isMissing={wasTried && !isGiven(reason)} />
      <AnalysisEditor
        parameters={parameters}
        isFixed={false}
        isReadOnly={false}
        isOfRun
        errorOf={(path) => errorOf(path.replace(/^analysisParameters/, 'parameters'))}
        onChange={setParameters}
      />
    </FormDialog>
  );
}

export function AdoptDialog({
  studyId,
  run,
  analysis,
  onClose,
}: {
  studyId: string;
  run: AnalysisRun;
  analysis: Analysis;
  onClose: () => void;
}) {
  const { t } = useWords();
  const refresh = useRefreshStudy(studyId);
  const [reason, setReason] = useState('');
  const adopt = useMutation({
    mutationFn: () =>
      client.call('adoptAnalysisRun', { params: { studyId, runId: run.id }, body: { reason: reason.trim() } }),
    onSuccess: async () => {
      await refresh();
      onClose();
    },
  });
  const { wasTried, onSubmit } = useCheckedSubmit(isGiven(reason), () => adopt.mutate());
  return (
    <FormDialog
      title={t('runs.adoptTitle', { name: run.name })}
      intro={t('runs.adoptIntro')}
      submitLabel={t('runs.adopt')}
      mutation={adopt}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {analysis.signedDays > 0 && <Notice tone="warn">{t('runs.signedDays', { count: analysis.signedDays })}</Notice>}
      <ReasonField value={reason} onChange={setReason} isMissing={wasTried && !isGiven(reason)} />
    </FormDialog>
  );
}

const deletionKey = (runId: string) => ['deleteAnalysisRun', runId];

/** True while a run is being deleted. The announcement of that change may come before the answer, and would have the run read again. */
export const useIsBeingDeleted = (runId: string): boolean => useIsMutating({ mutationKey: deletionKey(runId) }) > 0;

export function DeleteDialog({
  studyId,
  run,
  onDeleted,
  onClose,
}: {
  studyId: string;
  run: AnalysisRun;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const refresh = useRefreshStudy(studyId);
  const [name, setName] = useState('');
  const [reason, setReason] = useState('');
  const remove = useMutation({
    mutationKey: deletionKey(run.id),
    mutationFn: () =>
      client.call('deleteAnalysisRun', {
        params: { studyId, runId: run.id },
        body: { name: name.trim(), reason: reason.trim() },
      }),
    onSuccess: async () => {
      // Before the queries: the run that is open would be asked for again.
      onDeleted();
      onClose();
      await refresh();
    },
  });
  const isNamed = name.trim() === run.name;
  const { wasTried, onSubmit } = useCheckedSubmit(isNamed && isGiven(reason), () => remove.mutate());
  return (
    <FormDialog
      title={t('runs.deleteTitle', { name: run.name })}
      intro={t('runs.deleteIntro')}
      submitLabel={t('runs.delete')}
      mutation={remove}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Field
        label={t('runs.deleteName', { name: run.name })}
        value={name}
        onChange={setName}
        maxLength={100}
        {...(wasTried && !isNamed && { error: t('runs.deleteNameWrong') })}
      />
      <ReasonField value={reason} onChange={setReason} isMissing={wasTried && !isGiven(reason)} />
    </FormDialog>
  );
}

export function PinDialog({
  studyId,
  analysis,
  onClose,
}: {
  studyId: string;
  analysis: Analysis;
  onClose: () => void;
}) {
  const { t } = useWords();
  const refresh = useRefreshStudy(studyId);
  const [reason, setReason] = useState('');
  const { pinnedVersion, programVersion } = analysis;
  const isPinned = pinnedVersion !== undefined;
  const pin = useMutation({
    mutationFn: () =>
      client.call('pinAnalysis', {
        params: { studyId },
        body: { pinnedVersion: isPinned ? null : programVersion, reason: reason.trim() },
      }),
    onSuccess: async () => {
      await refresh();
      onClose();
    },
  });
  const { wasTried, onSubmit } = useCheckedSubmit(isGiven(reason), () => pin.mutate());
  return (
    <FormDialog
      title={isPinned ? t('runs.unpinTitle') : t('runs.pinTitle', { version: programVersion })}
      intro={
        isPinned ? t('runs.unpinIntro', { version: programVersion }) : t('runs.pinIntro', { version: programVersion })
      }
      submitLabel={isPinned ? t('runs.unpin') : t('runs.pin')}
      mutation={pin}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <ReasonField value={reason} onChange={setReason} isMissing={wasTried && !isGiven(reason)} />
    </FormDialog>
  );
}
