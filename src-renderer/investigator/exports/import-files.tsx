import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Job, Study } from '../../../src-server/api/contract/index.ts';
import type { CsvMapping } from '../../../src-server/vocabulary/csv-mapping.ts';
import { client } from '../../shared/api/client.ts';
import { jobQuery, studyQuery } from '../../shared/api/queries.ts';
import { definitionQuery } from '../../shared/api/study-queries.ts';
import { useDiagnosticText, useDiagnosticTexts } from '../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, buttonClass, Field } from '../../shared/kit/controls.tsx';
import { FileDrop } from '../../shared/kit/file-drop.tsx';
import { FormDialog, InfoDialog, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import { isZoneName, ZoneField } from '../../shared/kit/zone-field.tsx';
import { useStep } from '../jobs/job-state.ts';
import { usePlacement } from '../recordings/sensor-words.ts';
import { CsvMappingDialog } from './import/csv-mapping-dialog.tsx';
import { type RecognisedText, recognitionQuery } from './import/recognise.ts';
import { RecognisedFile } from './import/recognised-file.tsx';

const AS_FILE = 'file';
/** Of a set, the first few files tell which clock it has. */
const MOST_RECOGNISED = 8;

/** The code of an import whose device has a recording of that time already. */
const OVERLAP = 'RECORDING_OVERLAP';

/** Follows the import job and shows its result. Closing the dialog does not stop the job. */
function Reading({
  started,
  onKeepBoth,
  onClose,
}: {
  started: Job;
  /** Sends the files again and keeps what they share time with. */
  onKeepBoth: () => void;
  onClose: () => void;
}) {
  const { t, format } = useWords();
  const diagnosticText = useDiagnosticText();
  const notesOf = useDiagnosticTexts();
  const step = useStep();
  const job = useQuery(jobQuery(started.id)).data ?? started;
  const recordings = Array.isArray(job.result?.recordings)
    ? (job.result.recordings as { isNew?: boolean; notes?: string[] }[])
    : [];
  const labelNotes = Array.isArray(job.result?.notes) ? (job.result.notes as string[]) : [];
  const notes = notesOf(
    [...labelNotes, ...recordings.flatMap((recording) => recording.notes ?? [])].map((message) => ({ message })),
  );
  const added = recordings.filter((recording) => recording.isNew).length;
  const params = { studyId: started.studyId ?? '', subjectId: started.subjectId ?? '' };
  return (
    <InfoDialog title={t('imports.readingTitle')} onClose={onClose}>
      {job.state === 'done' && (
        <Notice
          tone="good"
          actions={
            <Link
              to="/studies/$studyId/subjects/$subjectId/recordings"
              params={params}
              className={buttonClass()}
              onClick={onClose}
            >
              {t('imports.toRecordings')}
            </Link>
          }
        >
          {t('imports.done', { count: added })}
          {recordings.length > added ? ` ${t('imports.alreadyImported', { count: recordings.length - added })}` : ''}
        </Notice>
      )}
      {notes.length > 0 && (
        <section>
          <h3>{t('imports.notes')}</h3>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </section>
      )}
      {(job.state === 'failed' || job.state === 'parked' || job.state === 'cancelled') && (
        <Notice
          tone="bad"
          actions={job.error?.code === OVERLAP && <Button onPress={onKeepBoth}>{t('imports.keepBoth')}</Button>}
        >
          {job.error ? diagnosticText(job.error) : t('imports.failed')}
          {job.error && <small> {t('state.errorCode', { code: job.error.code })}</small>}
        </Notice>
      )}
      {(job.state === 'queued' || job.state === 'running') && (
        <div role="status">
          <p>{t('imports.safe')}</p>
          {job.progress && (
            <>
              <ProgressBar label={t('imports.readingTitle')} done={job.progress.done} total={job.progress.total} />
              <small>{step(job.progress)}</small>
            </>
          )}
          <p>{t('imports.mayClose')}</p>
        </div>
      )}
      <p>{t('imports.startedAt', { time: format.clock(job.createdTs) })}</p>
    </InfoDialog>
  );
}

/** Which mapping a text is read by, and the way to change it. */
function MappingChoice({
  text,
  isMapped,
  templateName,
  onMap,
}: {
  text: RecognisedText;
  isMapped: boolean;
  templateName: string | undefined;
  onMap: () => void;
}) {
  const { t } = useWords();
  const isKnown = isMapped || text.origin === 'TEMPLATE';
  return (
    <Notice
      tone={isKnown ? 'good' : 'info'}
      actions={<Button onPress={onMap}>{isKnown ? t('imports.changeMapping') : t('imports.map')}</Button>}
    >
      {isMapped
        ? t('imports.byMapping')
        : text.origin === 'TEMPLATE'
          ? t('imports.byTemplate', { name: templateName ?? '' })
          : t('imports.needsMapping')}
    </Notice>
  );
}

/** Imports recordings from files for one subject. */
export function ImportFiles({
  studies,
  subject,
  offered = [],
  onClose,
}: {
  studies: readonly Study[];
  /** Files that were chosen before. */
  offered?: readonly File[];
  /** The subject of the recordings; undefined to choose one here. */
  subject?: { studyId: string; subjectId: string };
  onClose: () => void;
}) {
  const { t } = useWords();
  const queries = useQueryClient();
  const placement = usePlacement();
  const [studyId, setStudyId] = useState(subject?.studyId ?? studies[0]?.id ?? '');
  const [subjectId, setSubjectId] = useState(subject?.subjectId ?? '');
  const [configId, setConfigId] = useState(AS_FILE);
  const [start, setStart] = useState('');
  const [files, setFiles] = useState<File[]>([...offered]);
  const [chosenZone, setZone] = useState<string>();
  const [mapped, setMapped] = useState<{ file: File; mapping: CsvMapping }>();
  const [isMapping, setMapping] = useState(false);
  const study = useQuery(studyQuery(studyId)).data;
  const subjects = (study?.subjects ?? []).filter((one) => !one.isHidden);
  const chosen = subjects.some((one) => one.id === subjectId) ? subjectId : '';
  const config = study?.deviceConfigs.find((one) => one.id === configId);
  const startMs = start === '' ? undefined : new Date(start).getTime();
  // Files of a set explain one another; the site reads them together.
  const file = files.length === 1 ? files[0] : undefined;
  const mapping = mapped?.file === file ? mapped?.mapping : undefined;
  const recognised = useQuery(recognitionQuery(studyId, file, mapping));
  const recognition = file ? recognised.data : undefined;
  const ofSet = useQueries({
    queries: (file ? [] : files.slice(0, MOST_RECOGNISED)).map((one) => recognitionQuery(studyId, one)),
  });
  const recognitions = [recognition, ...ofSet.map(({ data }) => data)].filter((one) => one !== undefined);
  const text = recognition?.text;
  const templates = useQuery({ ...definitionQuery(studyId), enabled: text?.templateId !== undefined }).data
    ?.csvTemplates;
  const templateName = templates?.find(({ id }) => id === text?.templateId)?.displayName;
  const needsMapping = text?.origin === 'PROPOSED';
  // The one input that a reader asks for is a start, of a file that does not say when it was recorded.
  const isStartAsked = recognition?.problem?.code === 'INVALID_INPUT' && !text;
  const needsStart = (text?.preview?.clock === 'FROM_START' && !needsMapping) || isStartAsked;
  // A file of a set may have no clock of its own, such as the samples of a WFDB record: then another has a wall clock.
  const hasWallClock = file
    ? recognition?.clock?.kind === 'WALL_CLOCK'
    : recognitions.some(({ clock }) => clock === undefined || clock.kind === 'WALL_CLOCK');
  const zone = chosenZone ?? recognitions[0]?.siteTimeZone ?? '';
  const isZoneWrong = hasWallClock && !isZoneName(zone);

  const send = useMutation({
    mutationFn: (acceptsOverlap: boolean) => {
      const body = new FormData();
      if (config) {
        body.set('deviceConfigId', config.id);
        body.set('location', config.physicalConfig.location);
        if (config.physicalConfig.side !== 'ANY') body.set('side', config.physicalConfig.side);
      }
      if (startMs !== undefined) body.set('startTs', String(startMs));
      if (hasWallClock) body.set('timeZone', zone);
      if (mapping) body.set('csvMapping', JSON.stringify(mapping));
      if (acceptsOverlap) body.set('acceptsOverlap', 'true');
      for (const file of files) body.append('file', file, file.name);
      return client.call('importRecordings', { params: { studyId, subjectId: chosen }, body });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['job'] }),
  });
  const fieldError = useFieldErrors(send.error);
  if (send.data) return <Reading started={send.data} onKeepBoth={() => send.mutate(true)} onClose={onClose} />;
  if (isMapping && file && text) {
    return (
      <CsvMappingDialog
        studyId={studyId}
        file={file}
        text={text}
        templateName={templateName}
        onUse={(chosenMapping) => {
          setMapped({ file, mapping: chosenMapping });
          setMapping(false);
        }}
        onClose={() => setMapping(false)}
      />
    );
  }
  const subjectOfFile = study?.subjects.find(({ id }) => id === chosen);

  return (
    <FormDialog
      title={t('imports.title')}
      intro={t('imports.intro')}
      submitLabel={t('imports.send')}
      mutation={send}
      isDisabled={
        chosen === '' || files.length === 0 || needsMapping || isZoneWrong || (needsStart && startMs === undefined)
      }
      onSubmit={() => send.mutate(false)}
      onClose={onClose}
    >
      {!subject && (
        <>
          <Select
            label={t('studies.name')}
            value={studyId}
            options={studies.map((one) => ({ id: one.id, label: one.displayName }))}
            onChange={setStudyId}
          />
          <Select
            label={t('subjects.name')}
            value={chosen}
            options={[
              { id: '', label: t('imports.chooseSubject') },
              ...subjects.map((one) => ({ id: one.id, label: one.displayName })),
            ]}
            onChange={setSubjectId}
          />
        </>
      )}
      <FileDrop
        label={t('imports.drop')}
        help={t('imports.dropHelp')}
        files={files}
        onChange={setFiles}
        isDisabled={send.isPending}
      />
      {fieldError('file') && <p role="alert">{fieldError('file')}</p>}
      {(recognised.isLoading || ofSet.some(({ isLoading }) => isLoading)) && (
        <p role="status">{t('imports.recognising')}</p>
      )}
      {recognition && <RecognisedFile recognition={recognition} subject={subjectOfFile} />}
      {text && (
        <MappingChoice
          text={text}
          isMapped={mapping !== undefined}
          templateName={templateName}
          onMap={() => setMapping(true)}
        />
      )}
      {hasWallClock && !needsMapping && (
        <>
          <ZoneField
            label={t('imports.zone')}
            value={zone}
            onChange={setZone}
            error={isZoneWrong ? t('imports.zoneUnknown') : fieldError('timeZone')}
          />
          <p>{t('imports.zoneHelp')}</p>
        </>
      )}
      <Select
        label={t('imports.placement')}
        value={config ? configId : AS_FILE}
        options={[
          { id: AS_FILE, label: t('imports.asFile') },
          ...(study?.deviceConfigs ?? []).map((one) => ({ id: one.id, label: placement(one.physicalConfig) })),
        ]}
        onChange={setConfigId}
      />
      <Field
        label={t('imports.start')}
        type="datetime-local"
        value={start}
        onChange={setStart}
        help={t('imports.startHelp')}
        error={fieldError('startTs')}
      />
    </FormDialog>
  );
}
