/** Notes and calls of staff about a subject, or about a study and all its subjects, newest first; or its open follow-ups. */
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Note } from '../../../src-server/api/contract/index.ts';
import { useLongList } from '../../shared/api/long-list.ts';
import {
  followUpCountQuery,
  followUpPagesQuery,
  type NotePlace,
  notePagesQuery,
  noteQuery,
} from '../../shared/api/note-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { subjectQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Segments } from '../../shared/kit/controls.tsx';
import { MoreRows } from '../../shared/kit/more-rows.tsx';
import { panelClass, spacerClass, stackClass, toolsClass } from '../../shared/kit/page.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { oneOf } from '../filters/filter-search.ts';
import { useTableFilter } from '../filters/use-table-filter.ts';
import { NoteDialog } from './note-dialog.tsx';
import { NoteItem } from './note-item.tsx';
import styles from './notes.module.css';
import { WithdrawDialog } from './withdraw-dialog.tsx';

const FILTER_FIELDS = { kind: oneOf(['all', 'NOTE', 'CALL', 'followUps'], 'all') };

function NotesOf({ place, name, shownId }: { place: NotePlace; name?: string; shownId: string | undefined }) {
  const { t } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const { studyId } = place;
  const { values, set, clear } = useTableFilter(FILTER_FIELDS);
  const { kind: choice } = values;
  const [adding, setAdding] = useState(false);
  const [edited, setEdited] = useState<Note | null>(null);
  const [withdrawing, setWithdrawing] = useState<Note | null>(null);
  const isFollowUps = choice === 'followUps';
  const notes = useLongList(
    notePagesQuery(place, choice === 'NOTE' || choice === 'CALL' ? choice : undefined),
    !isFollowUps,
  );
  const followUps = useLongList(followUpPagesQuery(place), isFollowUps);
  const list = isFollowUps ? followUps : notes;
  // A link from Today can name a note that is older than the rows read so far, or that the choice leaves out.
  const isElsewhere = shownId !== undefined && list.query.data?.some(({ id }) => id === shownId) === false;
  const named = useQuery({ ...noteQuery(studyId, shownId ?? ''), enabled: isElsewhere });
  const count = useQuery(followUpCountQuery(place)).data ?? 0;
  const mayWrite = can('note.write', studyId);
  const isOwn = (note: Note) => note.author.id === user.id || can('note.administer', studyId);
  const itemOf = (note: Note) => (
    <NoteItem
      key={note.id}
      note={note}
      isOfStudy={place.subjectId === undefined}
      isShown={note.id === shownId}
      onEdit={mayWrite ? () => setEdited(note) : undefined}
      onWithdraw={mayWrite && isOwn(note) ? () => setWithdrawing(note) : undefined}
    />
  );
  return (
    <div className={stackClass}>
      <div className={toolsClass}>
        <Segments
          label={t('notes.show')}
          value={choice}
          options={[
            { id: 'all', label: t('notes.all') },
            { id: 'NOTE', label: t('notes.onlyNotes') },
            { id: 'CALL', label: t('notes.onlyCalls') },
            { id: 'followUps', label: t('notes.followUps', { count }) },
          ]}
          onChange={(kind) => set({ kind })}
        />
        <span className={spacerClass} />
        {mayWrite && (
          <Button kind="primary" icon="plus" onPress={() => setAdding(true)}>
            {t('notes.add')}
          </Button>
        )}
      </div>
      {isElsewhere && (
        <QueryView query={named}>
          {(note) =>
            (place.subjectId === undefined || note.subjectId === place.subjectId) && (
              <ul className={`${panelClass} ${styles.list}`} aria-label={t('notes.linked')}>
                {itemOf(note)}
              </ul>
            )
          }
        </QueryView>
      )}
      <QueryView query={list.query}>
        {(items) =>
          items.length === 0 ? (
            choice === 'all' ? (
              <Empty icon="pencil" title={t('notes.emptyTitle')} help={t('notes.emptyHelp')} />
            ) : (
              <Empty
                icon={isFollowUps ? 'check' : 'search'}
                title={isFollowUps ? t('notes.noFollowUps') : t('state.noResult')}
                help={t('notes.emptyFilterHelp')}
              >
                <Button onPress={clear}>{t('notes.showAll')}</Button>
              </Empty>
            )
          ) : (
            <>
              <ul className={`${panelClass} ${styles.list}`} aria-label={t('notes.title')}>
                {items.map(itemOf)}
              </ul>
              {list.hasMore && <MoreRows list={list} />}
            </>
          )
        }
      </QueryView>
      {adding && <NoteDialog place={place} {...(name !== undefined && { name })} onClose={() => setAdding(false)} />}
      {edited && <NoteDialog place={place} note={edited} mayEditText={isOwn(edited)} onClose={() => setEdited(null)} />}
      {withdrawing && <WithdrawDialog note={withdrawing} onClose={() => setWithdrawing(null)} />}
    </div>
  );
}

export function SubjectNotes() {
  const { studyId, subjectId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/notes' });
  const { note } = useSearch({ from: '/desk/studies/$studyId/subjects/$subjectId/notes' });
  const subject = useQuery(subjectQuery(studyId, subjectId));
  return (
    <QueryView query={subject}>
      {({ displayName }) => (
        <NotesOf key={subjectId} place={{ studyId, subjectId }} name={displayName} shownId={note} />
      )}
    </QueryView>
  );
}

export function StudyNotes() {
  const { studyId } = useParams({ from: '/desk/studies/$studyId/notes' });
  const { note } = useSearch({ from: '/desk/studies/$studyId/notes' });
  return <NotesOf key={studyId} place={{ studyId }} shownId={note} />;
}
