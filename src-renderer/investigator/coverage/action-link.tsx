/** Links to the screen where the action of an attention item or a cause is done. */
import { Link } from '@tanstack/react-router';
import type { AttentionItem } from '../../../src-server/api/contract/index.ts';
import { type Operation, useLockedStudy, usePermissions } from '../../shared/api/permissions.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { buttonClass } from '../../shared/kit/controls.tsx';
import styles from './causes.module.css';

interface Place {
  studyId?: string;
  subjectId?: string;
}

type Kind = AttentionItem['action']['kind'];

const TO_SUBJECT: Partial<
  Record<Kind, 'days' | 'messages' | 'equipment' | 'recordings' | 'queries' | 'participation'>
> = {
  OPEN_VISITS: 'participation',
  RECORD_CONSENT: 'participation',
  ANSWER_QUERY: 'queries',
  RESOLVE_QUERY: 'queries',
  SHOW_SUBJECT: 'days',
  FIND_CAUSE: 'days',
  CALL_SUBJECT: 'messages',
  ANSWER_MESSAGE: 'messages',
  CHARGE: 'messages',
  PUT_ON_HUB: 'messages',
  CHECK_ELECTRODES: 'messages',
  ASSIGN_EQUIPMENT: 'equipment',
  TAKE_BACK_EQUIPMENT: 'equipment',
  PAIR_DEVICE: 'equipment',
  REPLACE_SENSOR: 'equipment',
  RESTORE_RECORDING: 'recordings',
};

/** The permission that each action needs. Without it the link leads to the same screen, labelled as a view. */
const OPERATIONS: Partial<Record<Kind, Operation>> = {
  START_STUDY: 'study.start',
  REOPEN_STUDY: 'study.reopen',
  ASSIGN_EQUIPMENT: 'equipment.assign',
  TAKE_BACK_EQUIPMENT: 'equipment.assign',
  REPLACE_SENSOR: 'equipment.assign',
  OPEN_VISITS: 'participation.write',
  RECORD_CONSENT: 'participation.write',
  CHECK_ANALYSIS: 'analysis.run',
  CHECK_DOCK: 'transfer.decide',
  CALL_SUBJECT: 'message.send',
  ANSWER_MESSAGE: 'message.send',
  CHARGE: 'message.send',
  PUT_ON_HUB: 'message.send',
  CHECK_ELECTRODES: 'message.send',
};

/** Actions that a complete or archived study no longer allows. */
const OF_OPEN_STUDIES: readonly Kind[] = ['ASSIGN_EQUIPMENT', 'REPLACE_SENSOR', 'CALL_SUBJECT', 'ANSWER_MESSAGE'];

/** Returns the screen where an action is done; undefined when the only action is to wait. */
function linkOf({ kind, target }: AttentionItem['action'], { studyId, subjectId }: Place, day: string | undefined) {
  if (kind === 'WAIT') return undefined;
  if (target.type === 'note' && studyId !== undefined) {
    const search = { note: target.id };
    return subjectId === undefined
      ? ({ to: '/studies/$studyId/notes', params: { studyId }, search } as const)
      : ({ to: '/studies/$studyId/subjects/$subjectId/notes', params: { studyId, subjectId }, search } as const);
  }
  if (target.type === 'job') return { to: '/site/jobs' } as const;
  if (target.type === 'webhook') return { to: '/site/webhooks/$webhookId', params: { webhookId: target.id } } as const;
  if (kind === 'CHECK_MAIL') return { to: '/site/mail' } as const;
  if (kind === 'CHECK_NETWORK') return { to: '/site/network' } as const;
  if (kind === 'CHECK_CERTIFICATE') return { to: '/site/network/trust' } as const;
  if (kind === 'CHECK_ANALYSIS') return { to: '/studies/$studyId/analysis', params: { studyId: target.id } } as const;
  if (kind === 'CHECK_DOCK') return { to: '/equipment/docks' } as const;
  if (kind === 'CHECK_BACKUP') return { to: '/site/backups' } as const;
  if (kind === 'CHECK_AUDIT') return { to: '/site/audit' } as const;
  if (target.type === 'site') return { to: '/site' } as const;
  if (target.type === 'upload') return { to: '/equipment/uploads' } as const;
  if (target.type === 'study') return { to: '/studies/$studyId', params: { studyId: target.id } } as const;
  if (kind === 'CHECK_DEVICE') return { to: '/equipment/$equipmentId', params: { equipmentId: target.id } } as const;
  const view = TO_SUBJECT[kind];
  if (!view || studyId === undefined || subjectId === undefined) return { to: '/equipment' } as const;
  const params = { studyId, subjectId };
  if (view === 'days')
    return { to: '/studies/$studyId/subjects/$subjectId/days', params, search: day ? { date: day } : {} } as const;
  return { to: `/studies/$studyId/subjects/$subjectId/${view}`, params } as const;
}

export function ActionLink({
  action,
  place,
  day,
  about,
}: {
  action: AttentionItem['action'];
  place: Place;
  /** Local date of the day to open. */
  day?: string;
  /** What the action concerns, for screen readers that announce the link alone. */
  about: string;
}) {
  const { t } = useWords();
  const can = usePermissions();
  const link = linkOf(action, place, day);
  const operation = OPERATIONS[action.kind];
  const isTooLate = useLockedStudy(place.studyId) !== undefined && OF_OPEN_STUDIES.includes(action.kind);
  const mayDo = (operation === undefined || can(operation, place.studyId)) && !isTooLate;
  const label = mayDo ? t(`actions.${action.kind}`) : t('actions.view');
  if (!link) return <span className={styles.wait}>{label}</span>;
  return (
    <Link {...link} className={buttonClass()} aria-label={`${label}: ${about}`}>
      {label}
    </Link>
  );
}
