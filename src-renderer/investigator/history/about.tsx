/** The record that an audit entry is about: its kind and its name, linked where it has a page. */
import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '../../../src-server/api/contract/index.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Faint } from '../../shared/kit/data-table.tsx';
import { AuditExport } from './audit-export.tsx';
import styles from './history.module.css';
import { aboutText, recordText } from './history-words.ts';
import { PrintRecord } from './print-record.tsx';

/** Returns the page of a record; undefined for a deleted one or one without a page. */
function linkOf({ entityType, entityId, entity, studyId, subjectId }: AuditEntry, mayManage: boolean) {
  if (entity?.isGone) return undefined;
  if (entityType === 'equipment') return { to: '/equipment/$equipmentId', params: { equipmentId: entityId } } as const;
  if (entityType === 'transfer') return { to: '/equipment/docks' } as const;
  if (entityType === 'upload') return { to: '/equipment/uploads' } as const;
  if (entityType === 'device') return { to: '/equipment/devices' } as const;
  if (entityType === 'export') return { to: '/exports' } as const;
  if (entityType === 'study') return { to: '/studies/$studyId', params: { studyId: entityId } } as const;
  if (entityType === 'membership' && studyId) return { to: '/studies/$studyId/members', params: { studyId } } as const;
  if (mayManage) {
    if (entityType === 'user') return { to: '/site/users/$userId/history', params: { userId: entityId } } as const;
    if (entityType === 'webhook') return { to: '/site/webhooks/$webhookId', params: { webhookId: entityId } } as const;
    if (entityType === 'job') return { to: '/site/jobs' } as const;
  }
  if (entityType === 'note' && studyId !== undefined && subjectId === undefined)
    return { to: '/studies/$studyId/notes', params: { studyId }, search: { note: entityId } } as const;
  if (studyId === undefined || subjectId === undefined) return undefined;
  const params = { studyId, subjectId };
  if (entityType === 'recording')
    return {
      to: '/studies/$studyId/subjects/$subjectId/recordings/$recordingId',
      params: { ...params, recordingId: entityId },
    } as const;
  if (entityType === 'annotation') return { to: '/studies/$studyId/subjects/$subjectId/labels', params } as const;
  if (entityType === 'note')
    return { to: '/studies/$studyId/subjects/$subjectId/notes', params, search: { note: entityId } } as const;
  if (entityType === 'participation')
    return { to: '/studies/$studyId/subjects/$subjectId/participation', params } as const;
  if (entityType === 'query') return { to: '/studies/$studyId/subjects/$subjectId/queries', params } as const;
  if (entityType === 'message') return { to: '/studies/$studyId/subjects/$subjectId/messages', params } as const;
  return { to: '/studies/$studyId/subjects/$subjectId/days', params } as const;
}

export function About({
  entry,
  timeZone,
  isWide,
}: {
  entry: AuditEntry;
  timeZone: string | undefined;
  /** Whether the list holds entries of several studies. */
  isWide: boolean;
}) {
  const { t, format } = useWords();
  const can = usePermissions();
  const { user } = useSession();
  const mayManage = can('site.manage');
  const mayExport = entry.studyId === undefined ? mayManage : can('audit.export', entry.studyId);
  const link = linkOf(entry, mayManage);
  const name = aboutText(entry, t, format, timeZone);
  const isOfSubject = entry.entityType === 'subject' || entry.entityType === 'analytics';
  const around = [
    isOfSubject ? undefined : entry.subjectName,
    isWide && entry.entityType !== 'study' ? entry.studyName : undefined,
  ].filter((one) => one !== undefined);
  return (
    <span className={styles.about}>
      <small className={styles.kind}>
        {recordText(entry.entityType, t)}
        {(entry.studyId !== undefined || mayManage) && (
          <PrintRecord
            studyId={entry.studyId}
            type={entry.entityType}
            id={entry.entityId}
            name={name ?? recordText(entry.entityType, t)}
          />
        )}
        {mayExport && (
          <AuditExport
            scope={entry.studyId === undefined ? { accountId: user.accountId } : { studyId: entry.studyId }}
            selection={{ entityType: entry.entityType, entityId: entry.entityId }}
            record={name ?? recordText(entry.entityType, t)}
          />
        )}
      </small>
      {name === undefined ? null : link ? <Link {...link}>{name}</Link> : <span>{name}</span>}
      {entry.entity?.isGone && <Faint>{t('history.deleted')}</Faint>}
      {around.length > 0 && <small>{around.join(' · ')}</small>}
    </span>
  );
}
