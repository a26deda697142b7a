/** Takes a table of rows, from a file or pasted from a spreadsheet, after a preview of what becomes of every row. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { RowTable } from '../../../src-server/api/contract/index.ts';
import { saveText } from '../../shared/api/download.ts';
import { csvText } from '../../shared/csv.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { FileDrop } from '../../shared/kit/file-drop.tsx';
import { FormDialog } from '../../shared/kit/form-dialog.tsx';
import { TextAreaField } from '../../shared/kit/forms.tsx';
import { ErrorNotice, Notice, SkeletonRows } from '../../shared/kit/state.tsx';
import styles from './row-tables.module.css';
import { tableText } from './table-text.ts';

type Row = RowTable['rows'][number];

const TONES = { NEW: 'good', EXISTS: 'neutral', REFUSED: 'bad' } as const;
/** Refused rows come first: they are what a person has to do something about. */
const ORDER = { REFUSED: 0, NEW: 1, EXISTS: 2 } as const;

/** A table is judged once the person pauses: each time the site reads as many names as it has rows. */
const PAUSE_MS = 400;

/** The value as it was when it last stayed the same for a while. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function useRowColumns(nameLabel: string): Column<Row>[] {
  const { t, format } = useWords();
  return useMemo(
    () => [
      {
        id: 'outcome',
        header: t('rowTables.outcome'),
        value: (row) => ORDER[row.outcome],
        cell: (row) => <Pill tone={TONES[row.outcome]}>{t(`rowTables.outcomes.${row.outcome}`)}</Pill>,
      },
      {
        id: 'line',
        header: t('rowTables.line'),
        isNumber: true,
        value: (row) => row.line,
        cell: (row) => format.number(row.line),
      },
      { id: 'name', header: nameLabel, value: (row) => row.name, cell: (row) => row.name ?? <Faint>—</Faint> },
      {
        id: 'problem',
        header: t('rowTables.problem'),
        cell: (row) => <span className={styles.problem}>{row.errors.map(({ message }) => message).join(' ')}</span>,
      },
    ],
    [t, format, nameLabel],
  );
}

function Preview({ table, nameLabel }: { table: RowTable; nameLabel: string }) {
  const { t, format } = useWords();
  const columns = useRowColumns(nameLabel);
  const counts = { NEW: 0, EXISTS: 0, REFUSED: 0 };
  for (const { outcome } of table.rows) counts[outcome] += 1;
  const leftOut = table.columns.filter(({ member }) => member === undefined).map(({ header }) => header);
  return (
    <div className={styles.preview}>
      <p role="status" data-testid="row-counts">
        {format.list([
          t('rowTables.new', { count: counts.NEW }),
          ...(counts.EXISTS > 0 ? [t('rowTables.exists', { count: counts.EXISTS })] : []),
          ...(counts.REFUSED > 0 ? [t('rowTables.refused', { count: counts.REFUSED })] : []),
        ])}
      </p>
      {counts.REFUSED > 0 && <Notice tone="bad">{t('rowTables.refusedHelp')}</Notice>}
      {leftOut.length > 0 && <Notice tone="warn">{t('rowTables.leftOut', { columns: format.list(leftOut) })}</Notice>}
      <DataTable
        caption={t('rowTables.preview')}
        rows={table.rows}
        columns={columns}
        rowId={({ line }) => String(line)}
        initialSort={{ id: 'outcome', desc: false }}
      />
    </div>
  );
}

export function RowTableDialog({
  title,
  intro,
  nameLabel,
  template,
  submitLabel,
  before,
  previewKey,
  onPreview,
  onSubmit,
  onDone,
  onClose,
}: {
  title: string;
  intro: ReactNode;
  /** Header of the column with the names of rows. */
  nameLabel: string;
  /** The header line of an empty table, and the name of its file. */
  template: { header: readonly string[]; fileName: string };
  submitLabel: (count: number) => string;
  /** Fields above the table, such as the study. */
  before?: ReactNode;
  /** What the preview depends on besides the table. */
  previewKey: readonly string[];
  onPreview: (csv: string, signal: AbortSignal) => Promise<RowTable>;
  onSubmit: (csv: string) => Promise<RowTable>;
  /** Runs after the rows were taken. */
  onDone: (table: RowTable) => void;
  onClose: () => void;
}) {
  const { t, language } = useWords();
  const [files, setFiles] = useState<File[]>([]);
  const [text, setText] = useState('');
  const wanted = [...previewKey, text].join('\n');
  const settled = useSettled(wanted);
  const preview = useQuery({
    queryKey: ['row-table', wanted],
    queryFn: ({ signal }) => onPreview(text, signal),
    enabled: text.trim() !== '' && settled === wanted,
    // The store may have changed since the same text was looked at.
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  const submit = useMutation({ mutationFn: () => onSubmit(text), onSuccess: onDone });
  const table = text.trim() === '' ? undefined : preview.data;
  const fresh = table?.rows.filter(({ outcome }) => outcome === 'NEW').length ?? 0;
  const isReady = fresh > 0 && table?.rows.every(({ outcome }) => outcome !== 'REFUSED') === true;
  const choose = async (chosen: File[]) => {
    const last = chosen.at(-1);
    setFiles(last ? [last] : []);
    setText(last ? tableText(new Uint8Array(await last.arrayBuffer()), language) : '');
  };
  return (
    <FormDialog
      title={title}
      intro={intro}
      submitLabel={submitLabel(fresh)}
      mutation={submit}
      isDisabled={!isReady || settled !== wanted || preview.isFetching}
      onSubmit={() => submit.mutate()}
      onClose={onClose}
    >
      {before}
      <FileDrop
        label={t('rowTables.file')}
        help={t('rowTables.fileHelp')}
        files={files}
        onChange={(all) => void choose(all)}
      />
      <TextAreaField
        label={t('rowTables.text')}
        help={t('rowTables.textHelp')}
        isCode
        value={text}
        onChange={(typed) => {
          setFiles([]);
          setText(typed);
        }}
      />
      <div>
        <Button
          small
          icon="download"
          onPress={() => saveText(csvText(template.header, []), template.fileName, 'text/csv')}
        >
          {t('rowTables.template')}
        </Button>
      </div>
      {preview.error && text.trim() !== '' && (
        <ErrorNotice error={preview.error} onRetry={() => void preview.refetch()} />
      )}
      {text.trim() !== '' && preview.isPending && <SkeletonRows />}
      {table && <Preview table={table} nameLabel={nameLabel} />}
    </FormDialog>
  );
}
