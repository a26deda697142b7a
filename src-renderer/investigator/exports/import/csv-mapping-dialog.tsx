/** How the columns of a text become channels: the fields, a preview of the rows as they will be read, and the template. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  type CsvChannel,
  type CsvMapping,
  type CsvTemplate,
  mappingFaults,
} from '../../../../src-server/vocabulary/csv-mapping.ts';
import { client } from '../../../shared/api/client.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { fetchDefinition } from '../../../shared/api/study-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Checkbox, Select } from '../../../shared/kit/forms.tsx';
import { CsvChannelFields } from './csv-channel-fields.tsx';
import { CsvPreview } from './csv-preview.tsx';
import { CsvTimeFields } from './csv-time-fields.tsx';
import styles from './import.module.css';
import { type RecognisedText, recognitionQuery } from './recognise.ts';

const SHOWN_LINES = 6;
/** Typing a number must not ask for a preview at each key. */
const PREVIEW_AFTER_MS = 250;

function useLater<T>(value: T): T {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), PREVIEW_AFTER_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return later;
}

/** Stores a mapping with the study, in the place of a template of the same name. */
async function saveTemplate(studyId: string, template: Omit<CsvTemplate, 'id'>): Promise<void> {
  const { csvTemplates = [] } = await fetchDefinition(studyId);
  const same = csvTemplates.find(({ displayName }) => displayName === template.displayName);
  const others = csvTemplates.filter((one) => one !== same);
  const saved = { ...template, id: same?.id ?? crypto.randomUUID() };
  await client.call('putDefinition', { params: { studyId }, body: { csvTemplates: [...others, saved] } });
}

export function CsvMappingDialog({
  studyId,
  file,
  text,
  templateName,
  onUse,
  onClose,
}: {
  studyId: string;
  file: File;
  text: RecognisedText;
  templateName: string | undefined;
  onUse: (mapping: CsvMapping) => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const can = usePermissions();
  const queries = useQueryClient();
  const [mapping, setMapping] = useState<CsvMapping>(text.mapping);
  const mayKeep = can('study.update', studyId);
  const [isKept, setKept] = useState(mayKeep && templateName === undefined);
  const [name, setName] = useState(templateName ?? file.name.replace(/\.[^.]+$/, '').slice(0, 60));
  const shown = useLater(mapping);
  const recognised = useQuery(recognitionQuery(studyId, file, shown)).data?.text ?? text;
  const { columns } = recognised;
  const faults = mappingFaults(mapping);
  const set = (part: Partial<CsvMapping>) => setMapping((before) => ({ ...before, ...part }));
  const setChannel = (index: number, channel: CsvChannel) =>
    set({ channels: mapping.channels.map((one, at) => (at === index ? channel : one)) });

  const use = useMutation({
    mutationFn: async () => {
      if (!isKept || !mayKeep) return;
      const header = mapping.hasHeader ? columns : [];
      await saveTemplate(studyId, { displayName: name.trim(), header, mapping });
      await queries.invalidateQueries({ queryKey: ['study', studyId] });
      await queries.invalidateQueries({ queryKey: ['recognition', studyId] });
    },
    onSuccess: () => onUse(mapping),
  });
  const fieldError = useFieldErrors(use.error);
  const isWrong = recognised.preview !== null && recognised.preview.rows.length === 0;

  return (
    <FormDialog
      title={t('imports.mapTitle')}
      intro={t('imports.mapIntro', { name: file.name })}
      submitLabel={t('imports.useMapping')}
      mutation={use}
      isDisabled={faults.length > 0 || isWrong || (isKept && name.trim() === '')}
      onSubmit={() => use.mutate()}
      onClose={onClose}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it */}
      <section className={styles.raw} aria-label={t('imports.firstLines')} tabIndex={0}>
        <pre>{text.lines.slice(0, SHOWN_LINES).join('\n')}</pre>
      </section>
      <section className={styles.part}>
        <h3>{t('imports.layout')}</h3>
        <div className={styles.fields}>
          <Select
            label={t('imports.delimiter')}
            value={mapping.delimiter}
            options={([',', ';', '\t', '|', ' '] as const).map((id) => ({
              id,
              label: t(`imports.delimiters.${DELIMITER_WORDS[id]}`),
            }))}
            onChange={(delimiter) => set({ delimiter })}
          />
          <Select
            label={t('imports.decimal')}
            value={mapping.decimal}
            options={(['.', ','] as const).map((id) => ({ id, label: id === '.' ? '0.5' : '0,5' }))}
            onChange={(decimal) => set({ decimal })}
          />
          <Field
            label={t('imports.skipLines')}
            type="number"
            value={String(mapping.skipLines)}
            onChange={(value) => set({ skipLines: Math.min(1000, Math.max(0, Math.trunc(Number(value) || 0))) })}
          />
          <Field
            label={t('imports.missing')}
            value={mapping.missing.join(' ')}
            help={t('imports.missingHelp')}
            onChange={(value) => set({ missing: value.split(/\s+/).slice(0, 20) })}
          />
        </div>
        <Checkbox
          label={t('imports.hasHeader')}
          isSelected={mapping.hasHeader}
          onChange={(hasHeader) => set({ hasHeader })}
        />
      </section>
      <CsvTimeFields time={mapping.time} columns={columns} onChange={(time) => set({ time })} />
      <section className={styles.part}>
        <h3>{t('imports.channels')}</h3>
        {mapping.channels.map((channel, index) => (
          <CsvChannelFields
            // biome-ignore lint/suspicious/noArrayIndexKey: channels have no identity but their place
            key={index}
            index={index}
            channel={channel}
            columns={columns}
            faults={faults.filter(({ path }) => path.startsWith(`channels.${index}.`))}
            onChange={(next) => setChannel(index, next)}
            onRemove={() => set({ channels: mapping.channels.filter((_, at) => at !== index) })}
          />
        ))}
        <div className={styles.actions}>
          <Button
            icon="plus"
            onPress={() => set({ channels: [...mapping.channels, { type: 'ECG', unit: 'mV', columns: [] }] })}
          >
            {t('imports.addChannel')}
          </Button>
        </div>
      </section>
      <CsvPreview mapping={shown} preview={recognised.preview} />
      {mayKeep && (
        <section className={styles.part}>
          <Checkbox
            label={t('imports.keepTemplate')}
            help={mapping.hasHeader ? t('imports.keepTemplateHelp') : t('imports.keepTemplateNoHeader')}
            isSelected={isKept}
            onChange={setKept}
          />
          {isKept && (
            <Field
              label={t('imports.templateName')}
              value={name}
              onChange={setName}
              maxLength={60}
              error={fieldError('csvTemplates')}
            />
          )}
        </section>
      )}
    </FormDialog>
  );
}

const DELIMITER_WORDS = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar', ' ': 'space' } as const;
