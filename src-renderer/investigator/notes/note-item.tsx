/** One note: what it is about, its text, its follow-up, and what edits replaced. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Note, NoteDetail } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { noteQuery } from '../../shared/api/note-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill } from '../../shared/kit/controls.tsx';
import { Faint } from '../../shared/kit/data-table.tsx';
import { ErrorNotice } from '../../shared/kit/state.tsx';
import { localDate } from '../../shared/time/local-day.ts';
import { kindOf } from './note-entry.ts';
import styles from './notes.module.css';

const EXCERPT = 60;

/** Names a note to those who hear a button alone. */
function useExcerpt(note: Pick<Note, 'body' | 'kind' | 'isReached'>): string {
  const { t } = useWords();
  return note.body === '' ? t(`notes.kinds.${kindOf(note)}`) : note.body.slice(0, EXCERPT);
}

function useDueText(followUp: NonNullable<Note['followUp']>): { text: string; isDue: boolean } {
  const { t, format } = useWords();
  const { user } = useSession();
  const { date, assignee } = followUp;
  const today = localDate(Date.now(), user.timezone);
  const shown = format.date(date);
  const due =
    date === today
      ? t('notes.dueToday')
      : date < today
        ? t('notes.overdue', { date: shown })
        : t('notes.due', { date: shown });
  const text = assignee === undefined ? due : t('notes.assigned', { due, name: assignee.displayName });
  return { text, isDue: date <= today };
}

function FollowUp({ note, followUp }: { note: Note; followUp: NonNullable<Note['followUp']> }) {
  const { t, format } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const can = usePermissions();
  const excerpt = useExcerpt(note);
  const { text, isDue } = useDueText(followUp);
  const { studyId, id: noteId } = note;
  const finish = useMutation({
    mutationFn: () => client.call('setFollowUpDone', { params: { studyId, noteId }, body: { isDone: true } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['note', studyId] }),
  });
  if (followUp.done) {
    const { by, ts } = followUp.done;
    return (
      <p className={styles.followUp}>
        <Pill tone="good">{t('notes.doneBy', { name: by.displayName, time: format.moment(ts) })}</Pill>
      </p>
    );
  }
  const isOwn = followUp.assignee?.id === user.id;
  const mayFinish = can('note.follow-up', studyId) && (isOwn || can('note.write', studyId));
  return (
    <div className={styles.followUp}>
      <Pill tone={isDue ? 'warn' : 'info'}>{text}</Pill>
      {mayFinish && (
        <Button
          small
          icon="check"
          aria-label={t('notes.doneOf', { text: excerpt })}
          isDisabled={finish.isPending}
          onPress={() => finish.mutate()}
        >
          {t('notes.done')}
        </Button>
      )}
      {finish.error && <ErrorNotice error={finish.error} onRetry={() => finish.mutate()} />}
    </div>
  );
}

function Version({ version: one }: { version: NoteDetail['earlier'][number] }) {
  const { t, format } = useWords();
  const { version, editedBy, editedTs, body } = one;
  return (
    <li>
      <small>
        {t('notes.editedBy', { version, name: editedBy.displayName, time: format.dateTime(editedTs) })}
        {' · '}
        {t(`notes.kinds.${kindOf(one)}`)}
      </small>
      <p className={styles.text}>{body || <Faint>{t('notes.noText')}</Faint>}</p>
    </li>
  );
}

/** What edits replaced, read when somebody opens it. */
function Earlier({ note }: { note: Note }) {
  const { t } = useWords();
  const [isOpen, setOpen] = useState(false);
  const detail = useQuery({ ...noteQuery(note.studyId, note.id), enabled: isOpen });
  return (
    <details className={styles.earlier} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('notes.edited', { count: note.version - 1 })}</summary>
      {detail.error && <ErrorNotice error={detail.error} onRetry={() => void detail.refetch()} />}
      <ol reversed>
        {[...(detail.data?.earlier ?? [])].reverse().map((one) => (
          <Version key={one.version} version={one} />
        ))}
      </ol>
    </details>
  );
}

export function NoteItem({
  note,
  isOfStudy,
  isShown,
  onEdit,
  onWithdraw,
}: {
  note: Note;
  /** Whether the list is that of a study, and so names the subjects. */
  isOfStudy: boolean;
  /** Whether the address names this note. */
  isShown: boolean;
  /** Undefined where the person may not. */
  onEdit: (() => void) | undefined;
  onWithdraw: (() => void) | undefined;
}) {
  const { t, format } = useWords();
  const excerpt = useExcerpt(note);
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isShown) row.current?.scrollIntoView({ block: 'center' });
  }, [isShown]);
  const { studyId, subjectId, subjectName, author, createdTs, withdrawn, followUp, body } = note;
  return (
    <li ref={row} className={styles.note} data-shown={isShown || undefined} data-withdrawn={withdrawn ? '' : undefined}>
      <div className={styles.noteHead}>
        <Pill tone={note.kind === 'NOTE' ? 'neutral' : note.isReached ? 'good' : 'warn'}>
          {t(`notes.kinds.${kindOf(note)}`)}
        </Pill>
        {withdrawn && <Pill tone="bad">{t('notes.withdrawn')}</Pill>}
        {isOfStudy &&
          (subjectId === undefined ? (
            <strong>{t('notes.aboutStudy')}</strong>
          ) : (
            <Link to="/studies/$studyId/subjects/$subjectId/notes" params={{ studyId, subjectId }}>
              {subjectName}
            </Link>
          ))}
        <small title={format.dateTime(createdTs)}>
          {t('notes.by', { name: author.displayName, time: format.moment(createdTs) })}
        </small>
        <span className={styles.actions}>
          {onEdit && !withdrawn && (
            <Button small kind="quiet" aria-label={t('notes.editOf', { text: excerpt })} onPress={onEdit}>
              {t('notes.edit')}
            </Button>
          )}
          {onWithdraw && !withdrawn && (
            <Button small kind="quiet" aria-label={t('notes.withdrawOf', { text: excerpt })} onPress={onWithdraw}>
              {t('notes.withdraw')}
            </Button>
          )}
        </span>
      </div>
      <p className={styles.text}>{body || <Faint>{t('notes.noText')}</Faint>}</p>
      {withdrawn && (
        <p className={styles.why}>
          {t('notes.withdrawnBy', {
            name: withdrawn.by.displayName,
            time: format.moment(withdrawn.ts),
            reason: withdrawn.reason,
          })}
        </p>
      )}
      {followUp && !withdrawn && <FollowUp note={note} followUp={followUp} />}
      {note.version > 1 && <Earlier note={note} />}
    </li>
  );
}
