/** Requests an export of a study: format, everything or changes only, de-identified or not, which subjects. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Study, StudyExport } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { exportsQuery } from '../../shared/api/study-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { FormDialog } from '../../shared/kit/form-dialog.tsx';
import { Checkbox, RadioChoice, Select } from '../../shared/kit/forms.tsx';
import { NO_WORDS, SubjectChoice, WordsChoice } from './export-contents.tsx';
import { EXPORT_FORMATS, type ExportFormat, isContinuable, isIncremental } from './formats.ts';

const EVERYTHING = 'all';

type ExportRequest = NonNullable<Parameters<typeof client.call<'requestStudyExport'>>[1]>['body'];

function useRequestExport(studyId: string, body: ExportRequest, onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => client.call('requestStudyExport', { params: { studyId }, body }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['export', studyId] });
      void queries.invalidateQueries({ queryKey: ['job'] });
      onDone();
    },
  });
}

/** Undefined for all subjects. With a preset, a study that it does not name begins with nobody. */
const chosenAtFirst = (
  preset: ReadonlyMap<string, readonly string[]> | undefined,
  studyId: string,
): ReadonlySet<string> | undefined => preset && new Set(preset.get(studyId));

/** Requests an export; with `since`, the form opens with the changes since that export chosen. */
export function NewExport({
  studies,
  studyId: firstStudyId,
  since: firstSince,
  preset,
  onClose,
}: {
  studies: readonly Study[];
  studyId: string;
  since?: StudyExport;
  /** Subjects that are chosen at first, by study; left out for all subjects. */
  preset?: ReadonlyMap<string, readonly string[]>;
  onClose: () => void;
}) {
  const { t, format } = useWords();
  const [studyId, setStudyId] = useState(firstStudyId);
  const [form, setForm] = useState<ExportFormat>(firstSince?.format ?? 'ARCHIVE');
  const [isDeidentified, setDeidentified] = useState(firstSince?.deidentified ?? false);
  const [words, setWords] = useState(NO_WORDS);
  const [sinceId, setSinceId] = useState(firstSince?.id ?? EVERYTHING);
  const [chosen, setChosen] = useState(() => chosenAtFirst(preset, firstStudyId));
  const earlier = (useQuery(exportsQuery(studyId)).data?.items ?? []).filter(
    (item) => item.format === form && isContinuable(item),
  );
  const since = isIncremental(form) ? earlier.find((item) => item.id === sinceId) : undefined;

  const request = useRequestExport(
    studyId,
    {
      format: form,
      ...(since
        ? { sinceExportId: since.id }
        : {
            deidentified: isDeidentified,
            ...(isDeidentified && { includeFields: [...words.fields], includeDefinition: words.definition }),
            ...(chosen && { subjectIds: [...chosen] }),
          }),
    },
    onClose,
  );
  const nameOf = (item: StudyExport) =>
    t('exports.sinceOption', { time: format.moment(item.requestedTs), name: item.requestedBy?.displayName ?? '' });

  return (
    <FormDialog
      title={t('exports.newTitle')}
      intro={t('exports.newIntro')}
      submitLabel={t('exports.make')}
      mutation={request}
      isDisabled={!since && chosen?.size === 0}
      onSubmit={() => request.mutate()}
      onClose={onClose}
    >
      <Select
        label={t('studies.name')}
        value={studyId}
        options={studies.map((study) => ({ id: study.id, label: study.displayName }))}
        onChange={(next) => {
          setStudyId(next);
          setSinceId(EVERYTHING);
          setChosen(chosenAtFirst(preset, next));
          setWords(NO_WORDS);
        }}
      />
      <RadioChoice
        label={t('exports.format')}
        value={form}
        options={EXPORT_FORMATS.map((id) => ({
          id,
          label: t(`exports.formats.${id}`),
          help: t(`exports.formatHelp.${id}`),
        }))}
        onChange={setForm}
      />
      {isIncremental(form) && (
        <Select
          label={t('exports.contents')}
          value={since ? sinceId : EVERYTHING}
          options={[
            { id: EVERYTHING, label: t('exports.everything') },
            ...earlier.map((item) => ({ id: item.id, label: nameOf(item) })),
          ]}
          help={since ? t('exports.sinceHelp') : undefined}
          onChange={setSinceId}
        />
      )}
      {!since && (
        <>
          <Checkbox
            label={t('exports.deidentified')}
            help={t('exports.deidentifiedHelp')}
            isSelected={isDeidentified}
            onChange={setDeidentified}
          />
          {isDeidentified && <WordsChoice key={studyId} studyId={studyId} words={words} onChange={setWords} />}
          <SubjectChoice key={studyId} studyId={studyId} chosen={chosen} onChange={setChosen} />
        </>
      )}
    </FormDialog>
  );
}
