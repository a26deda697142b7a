/** The entries of an audit trail as a table on paper. A row is never cut: an entry with many changes takes several. */
import { useMemo } from 'react';
import type { AuditEntry } from '../../../../src-server/api/contract/index.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { localDate, preciseClock } from '../../../shared/time/local-day.ts';
import { aboutText, actionText, fieldText, isShown, recordText, valueText } from '../../history/history-words.ts';
import type { PaperTable } from '../contents.tsx';
import styles from '../paper.module.css';

/** Of a row, which is then lower than a page. */
const MOST_CHANGES = 8;

type Change = AuditEntry['changes'][number];

/** @param isWide whether the entries come from several studies */
export function useAuditTable(entries: readonly AuditEntry[], timeZone: string, isWide: boolean): PaperTable {
  const { t, format } = useWords();
  const diagnosticText = useDiagnosticText();
  return useMemo(() => {
    const changeText = ({ field, old, new: next, oldName, newName }: Change, isNew: boolean) =>
      t('table.pair', {
        name: fieldText(field, t),
        value: [
          ...(isNew ? [] : [oldName ?? valueText(field, old, t, format, timeZone)]),
          newName ?? valueText(field, next, t, format, timeZone),
        ].join(' → '),
      });
    const rowsOf = (entry: AuditEntry) => {
      const shown = entry.changes.filter(({ field }) => isShown(field));
      const isNew = shown.every(({ old }) => old === undefined || old === null);
      const parts = Array.from({ length: Math.max(1, Math.ceil(shown.length / MOST_CHANGES)) }, (_, part) =>
        shown.slice(part * MOST_CHANGES, (part + 1) * MOST_CHANGES),
      );
      return parts.map((changes, part) => ({
        id: `${entry.sequence} ${part}`,
        cells: [
          when(entry, part),
          who(entry),
          actionText(entry.action, t),
          what(entry),
          changes.length === 0 ? (
            <span key="none" className={styles.muted}>
              {entry.erasedBy === undefined ? t('history.noFields') : t('history.erased', { sequence: entry.erasedBy })}
            </span>
          ) : (
            changes.map((change) => <div key={change.field}>{changeText(change, isNew)}</div>)
          ),
          entry.reason === undefined
            ? t('history.noReason')
            : entry.diagnostic
              ? diagnosticText(entry.diagnostic)
              : entry.reason,
        ],
      }));
    };
    const when = (entry: AuditEntry, part: number) => {
      const name = t('history.entry', { sequence: entry.sequence, hash: entry.hash.slice(0, 8) });
      return (
        <span key="when">
          {`${localDate(entry.timeTs, timeZone)} ${preciseClock(entry.timeTs, timeZone).clock.slice(0, 8)}`}
          <small>{part > 0 ? t('paper.continued', { name }) : name}</small>
        </span>
      );
    };
    const who = ({ actor }: AuditEntry) => (
      <span key="who">
        {actor.displayName ?? t(`history.actors.${actor.type}`)}
        {actor.displayName !== undefined && actor.type !== 'USER' && <small>{t(`history.actors.${actor.type}`)}</small>}
      </span>
    );
    const what = (entry: AuditEntry) => {
      const name = aboutText(entry, t, format, timeZone) ?? recordText(entry.entityType, t);
      return (
        <span key="what">
          {name}
          <small>
            {[
              recordText(entry.entityType, t),
              entry.subjectName !== name && entry.subjectName,
              isWide && entry.studyName,
              entry.entity?.isGone && t('history.deleted'),
            ]
              .filter(Boolean)
              .join(' · ')}
          </small>
        </span>
      );
    };
    return {
      caption: t('paper.audit.entries'),
      columns: [
        { id: 'when', label: t('history.when'), share: 6 },
        { id: 'who', label: t('history.who'), share: 5 },
        { id: 'what', label: t('history.what'), share: 6 },
        { id: 'about', label: t('history.aboutWhat'), share: 7 },
        { id: 'changes', label: t('history.changes'), share: 13 },
        { id: 'reason', label: t('history.reason'), share: 6 },
      ],
      rows: entries.flatMap(rowsOf),
    };
  }, [entries, timeZone, isWide, t, format, diagnosticText]);
}
