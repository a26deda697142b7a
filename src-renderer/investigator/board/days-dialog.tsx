/** The days behind a chart, each with its value and a link to the day. */

import { Link } from '@tanstack/react-router';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Dialog } from '../../shared/kit/dialog.tsx';
import { spacerClass, toolsClass } from '../../shared/kit/page.tsx';
import styles from './board.module.css';
import type { BoardDay } from './board-data.ts';

export function DaysDialog({
  title,
  studyId,
  subjectId,
  days,
  text,
  onClose,
}: {
  title: string;
  studyId: string;
  subjectId: string;
  days: readonly BoardDay[];
  text: (value: number) => string;
  onClose: () => void;
}) {
  const { t, format } = useWords();
  const columns: Column<BoardDay>[] = [
    {
      id: 'date',
      header: t('board.date'),
      value: ({ date }) => date,
      cell: ({ date }) => (
        <Link
          to="/studies/$studyId/subjects/$subjectId/days"
          params={{ studyId, subjectId }}
          search={{ date }}
          onClick={onClose}
        >
          {format.date(date)}
        </Link>
      ),
    },
    {
      id: 'value',
      header: t('board.value'),
      isNumber: true,
      value: ({ value }) => value ?? undefined,
      cell: ({ value }) => (value === null ? <Faint>{t('board.noValue')}</Faint> : text(value)),
    },
    {
      id: 'worn',
      header: t('board.worn'),
      isNumber: true,
      value: ({ wearSeconds }) => wearSeconds,
      cell: ({ wearSeconds, isPartial }) =>
        wearSeconds === undefined ? (
          <Faint>{t('board.noValue')}</Faint>
        ) : (
          <>
            {format.duration(wearSeconds)} {isPartial && <Faint>{t('board.partial')}</Faint>}
          </>
        ),
    },
  ];
  return (
    <Dialog label={title} isOpen onOpenChange={(isOpen) => !isOpen && onClose()}>
      <div className={styles.dialog}>
        <h2>{title}</h2>
        <DataTable
          caption={title}
          rows={[...days]}
          columns={columns}
          rowId={({ date }) => date}
          initialSort={{ id: 'date', desc: true }}
        />
        <div className={toolsClass}>
          <span className={spacerClass} />
          <Button onPress={onClose}>{t('board.close')}</Button>
        </div>
      </div>
    </Dialog>
  );
}
