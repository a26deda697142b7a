import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Study, StudyExport } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { studyQuery, subjectsQuery } from '../../shared/api/queries.ts';
import { exportsQuery } from '../../shared/api/study-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { FormDialog } from '../../shared/kit/form-dialog.tsx';
import { Checkbox, FieldGroup, RadioChoice, Select } from '../../shared/kit/forms.tsx';
import styles from './exports.module.css';
import { EXPORT_FORMATS, type ExportFormat, isIncremental } from './formats.ts';

const EVERYTHING = 'all';

function SubjectChoice({
  studyId,
  chosen,
  onChange,
}: {
  studyId: string;
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}) {
  const { t } = useWords();
  const subjects = (useQuery(subjectsQuery(studyId)).data?.items ?? []).filter((subject) => !subject.isTest);
  const [isSome, setSome] = useState(false);
  return (
    <FieldGroup label={t('exports.subjects')}>
      <Checkbox
        label={t('exports.allSubjects', { count: subjects.length })}
        help={t('exports.allSubjectsHelp')}
        isSelected={!isSome}
        onChange={(all) => {
          setSome(!all);
          if (all) onChange(new Set());
        }}
      />
      {isSome && (
        <div className={styles.subjects}>
          {subjects.map((subject) => (
            <Checkbox
              key={subject.id}
              label={subject.displayName}
              isSelected={chosen.has(subject.id)}
              onChange={(isSelected) => {
                const next = new Set(chosen);
                if (isSelected) next.add(subject.id);
                else next.delete(subject.id);
                onChange(next);
              }}
            />
          ))}
        </div>
      )}
      {isSome && chosen.size === 0 && <p className={styles.hint}>{t('exports.noSubjectChosen')}</p>}
    </FieldGroup>
  );
}

interface Words {
  fields: ReadonlySet<string>;
  definition: boolean;
}

const NO_WORDS: Words = { fields: new Set(), definition: false };

/** What a de-identified export holds beyond the rule: nothing, unless it is chosen here. */
function WordsChoice({
  studyId,
  words,
  onChange,
}: {
  studyId: string;
  words: Words;
  onChange: (words: Words) => void;
}) {
  const { t } = useWords();
  const fields = useQuery(studyQuery(studyId)).data?.subjectMetadataFields ?? [];
  return (
    <FieldGroup label={t('exports.freeText')}>
      <p className={styles.hint}>{t('exports.freeTextHelp')}</p>
      <Checkbox
        label={t('exports.definitionText')}
        help={t('exports.definitionTextHelp')}
        isSelected={words.definition}
        onChange={(definition) => onChange({ ...words, definition })}
      />
      {fields
        .filter(({ type }) => type !== 'FREETEXT')
        .map(({ displayName, type }) => (
          <Checkbox
            key={displayName}
            label={t('exports.fieldText', { name: displayName })}
            help={type === 'NUMBER' ? t('exports.numberTextHelp') : undefined}
            isSelected={words.fields.has(displayName)}
            onChange={(isSelected) => {
              const next = new Set(words.fields);
              if (isSelected) next.add(displayName);
              else next.delete(displayName);
              onChange({ ...words, fields: next });
            }}
          />
        ))}
    </FieldGroup>
  );
}

/** Asks for an export; `since` begins with what changed since an earlier one. */
export function NewExport({
  studies,
  studyId: firstStudyId,
  since: firstSince,
  onClose,
}: {
  studies: readonly Study[];
  studyId: string;
  since?: StudyExport;
  onClose: () => void;
}) {
  const { t, format } = useWords();
  const queries = useQueryClient();
  const [studyId, setStudyId] = useState(firstStudyId);
  const [form, setForm] = useState<ExportFormat>(firstSince?.format ?? 'ARCHIVE');
  const [isDeidentified, setDeidentified] = useState(firstSince?.deidentified ?? false);
  const [words, setWords] = useState(NO_WORDS);
  const [sinceId, setSinceId] = useState(firstSince?.id ?? EVERYTHING);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const earlier = (useQuery(exportsQuery(studyId)).data?.items ?? []).filter(
    (item) => item.format === form && item.finishedTs !== undefined,
  );
  const since = isIncremental(form) ? earlier.find((item) => item.id === sinceId) : undefined;

  const request = useMutation({
    mutationFn: () =>
      client.call('requestStudyExport', {
        params: { studyId },
        body: {
          format: form,
          ...(since
            ? { sinceExportId: since.id }
            : {
                deidentified: isDeidentified,
                ...(isDeidentified && { includeFields: [...words.fields], includeDefinition: words.definition }),
                ...(chosen.size > 0 && { subjectIds: [...chosen] }),
              }),
        },
      }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['export', studyId] });
      void queries.invalidateQueries({ queryKey: ['job'] });
      onClose();
    },
  });
  const nameOf = (item: StudyExport) =>
    t('exports.sinceOption', { time: format.moment(item.requestedTs), name: item.requestedBy?.displayName ?? '' });

  return (
    <FormDialog
      title={t('exports.newTitle')}
      intro={t('exports.newIntro')}
      submitLabel={t('exports.make')}
      mutation={request}
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
          setChosen(new Set());
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
