/** The columns of an audit trail: when, who, what, about which record, what changed, and why. */
import { useMemo } from 'react';
import type { AuditEntry } from '../../../src-server/api/contract/index.ts';
import { useDiagnosticText } from '../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { type Column, Faint } from '../../shared/kit/data-table.tsx';
import { About } from './about.tsx';
import styles from './history.module.css';
import { aboutText, actionText, fieldText, isShown, recordText, valueText } from './history-words.ts';

function Actor({ actor }: { actor: AuditEntry['actor'] }) {
  const { t } = useWords();
  if (actor.type === 'SYSTEM') return <Faint>{t('history.actors.SYSTEM')}</Faint>;
  return (
    <>
      {actor.displayName ?? <Faint help={actor.id}>{t(`history.actors.${actor.type}`)}</Faint>}{' '}
      {actor.displayName !== undefined && actor.type !== 'USER' && <small>{t(`history.actors.${actor.type}`)}</small>}
    </>
  );
}

/** Each changed field with its old and its new value; a new record has only new values. */
function Changes({ entry, timeZone }: { entry: AuditEntry; timeZone: string | undefined }) {
  const { t, format } = useWords();
  const changes = entry.changes.filter(({ field }) => isShown(field));
  if (entry.erasedBy !== undefined) return <Faint>{t('history.erased', { sequence: entry.erasedBy })}</Faint>;
  if (changes.length === 0) return <Faint>{t('history.noFields')}</Faint>;
  const isNew = changes.every(({ old }) => old === undefined || old === null);
  const list = (
    <dl className={styles.changes}>
      {changes.map(({ field, old, new: next, oldName, newName }) => (
        <div key={field}>
          <dt>{fieldText(field, t)}</dt>
          <dd>
            {!isNew && (
              <>
                <del>{oldName ?? valueText(field, old, t, format, timeZone)}</del>
                <span aria-hidden="true"> → </span>
                <span className="visually-hidden">{t('history.changedTo')}</span>
              </>
            )}
            <ins>{newName ?? valueText(field, next, t, format, timeZone)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
  if (changes.length <= 4) return list;
  return (
    <details className={styles.more}>
      <summary>{t('history.fieldCount', { count: changes.length })}</summary>
      {list}
    </details>
  );
}

/**
 * @param timeZone of the times; undefined for the zone of this computer
 * @param isWide whether the entries come from several studies
 */
export function useHistoryColumns(timeZone: string | undefined, isWide: boolean): Column<AuditEntry>[] {
  const { t, format } = useWords();
  const diagnosticText = useDiagnosticText();
  return useMemo(
    () => [
      {
        id: 'sequence',
        header: t('history.when'),
        value: (entry) => entry.sequence,
        cell: (entry) => (
          <span className={styles.when}>
            <time dateTime={new Date(entry.timeTs).toISOString()} title={format.dateTime(entry.timeTs, timeZone)}>
              {format.moment(entry.timeTs, timeZone)}
            </time>
            <small title={t('history.hash', { hash: entry.hash })}>
              {t('history.entry', { sequence: entry.sequence, hash: entry.hash.slice(0, 8) })}
            </small>
          </span>
        ),
      },
      {
        id: 'actor',
        header: t('history.who'),
        value: (entry) => entry.actor.displayName ?? entry.actor.type,
        cell: (entry) => <Actor actor={entry.actor} />,
      },
      {
        id: 'action',
        header: t('history.what'),
        value: (entry) => actionText(entry.action, t),
        cell: (entry) => (
          <span
            className={styles.action}
            title={`${recordText(entry.entityType, t)} ${entry.entityId}\n${entry.action}`}
          >
            {actionText(entry.action, t)}
          </span>
        ),
      },
      {
        id: 'about',
        header: t('history.aboutWhat'),
        value: (entry) => aboutText(entry, t, format, timeZone),
        cell: (entry) => <About entry={entry} timeZone={timeZone} isWide={isWide} />,
      },
      {
        id: 'changes',
        header: t('history.changes'),
        cell: (entry) => <Changes entry={entry} timeZone={timeZone} />,
      },
      {
        id: 'reason',
        header: t('history.reason'),
        value: (entry) => entry.reason,
        cell: (entry) =>
          entry.reason === undefined ? (
            <Faint>{t('history.noReason')}</Faint>
          ) : (
            <span className={styles.reason}>{entry.diagnostic ? diagnosticText(entry.diagnostic) : entry.reason}</span>
          ),
      },
    ],
    [t, format, timeZone, diagnosticText, isWide],
  );
}
