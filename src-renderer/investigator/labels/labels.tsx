/** Everything that was noted about a subject over all recordings: labels, tasks, answers. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { SubjectDetail } from '../../../src-server/api/contract/index.ts';
import { personName } from '../../../src-server/study/person-name.ts';
import { fileName, saveText } from '../../shared/api/download.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { annotationsQuery, subjectQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { usersQuery } from '../../shared/api/site-queries.ts';
import { fold } from '../../shared/i18n/format.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, buttonClass, IconButton, Search } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Empty, ErrorNotice, Notice, QueryView } from '../../shared/kit/state.tsx';
import { useStore } from '../../shared/store.ts';
import { useCommands } from '../commands/commands.ts';
import { recordingAt } from '../subjects/coverage.ts';
import { LabelHistory } from '../viewer/data/label-history.ts';
import { isEditable, type LabelItem, type LabelKind, labelsCsv, labelsOf } from '../viewer/data/labels.ts';
import { DeleteLabelDialog } from './delete-label.tsx';
import { KindFilter } from './kind-filter.tsx';
import { LabelDialog } from './label-dialog.tsx';
import { answerText, useNeedsReason } from './label-rules.ts';
import styles from './labels.module.css';

const ALWAYS = { startMs: Number.NEGATIVE_INFINITY, stopMs: Number.POSITIVE_INFINITY };

function LabelsOf({ subject, items }: { subject: SubjectDetail; items: LabelItem[] }) {
  const { t, format } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const queries = useQueryClient();
  const { id: subjectId, studyId, timezone: timeZone } = subject;
  const users = useQuery(usersQuery(user.accountId));
  const [text, setText] = useState('');
  const [kind, setKind] = useState<LabelKind | 'all'>('all');
  const [edited, setEdited] = useState<LabelItem | null>(null);
  const [deleting, setDeleting] = useState<LabelItem | null>(null);
  const [deleted, setDeleted] = useState<string | null>(null);
  const needsReason = useNeedsReason(studyId);
  const mayEdit = can('annotation.write', studyId);
  const history = useMemo(
    () =>
      new LabelHistory({ studyId, subjectId }, () =>
        queries.invalidateQueries({ queryKey: ['annotation', studyId, subjectId] }),
      ),
    [studyId, subjectId, queries],
  );
  const counts = useStore(history.counts);
  const remove = useMutation({
    mutationFn: (item: LabelItem) => history.remove(item),
    onSuccess: (_, item) => setDeleted(item.name),
  });
  const undo = useMutation({ mutationFn: () => history.undo(), onSuccess: () => setDeleted(null) });
  const redo = useMutation({ mutationFn: () => history.redo() });
  useCommands([
    {
      id: 'labels.undo',
      label: t('labels.undo'),
      keys: ['Mod+Z'],
      scope: 'page',
      isEnabled: counts.undo > 0,
      run: () => undo.mutate(),
    },
    {
      id: 'labels.redo',
      label: t('labels.redo'),
      keys: ['Mod+Shift+Z'],
      scope: 'page',
      isEnabled: counts.redo > 0,
      run: () => redo.mutate(),
    },
  ]);

  const authors = useMemo(() => {
    const names = new Map(users.data?.items.map((one) => [one.id, personName(one)]));
    names.set(subjectId, subject.displayName);
    return names;
  }, [users.data, subjectId, subject.displayName]);
  const { mutate: removeItem, isPending: isRemoving } = remove;
  const columns = useMemo(
    (): Column<LabelItem>[] => [
      {
        id: 'start',
        header: t('labels.start'),
        value: (item) => item.startMs,
        cell: (item) => {
          const recording = recordingAt(subject.recordings, item.startMs);
          const shown = (
            <span title={format.dateTime(item.startMs, timeZone)}>{format.moment(item.startMs, timeZone)}</span>
          );
          return recording ? (
            <Link
              to="/studies/$studyId/subjects/$subjectId/recordings/$recordingId"
              params={{ studyId, subjectId, recordingId: recording.id }}
              search={{ at: item.startMs }}
              aria-label={t('labels.signalsOf', { name: item.name, time: format.moment(item.startMs, timeZone) })}
            >
              {shown}
            </Link>
          ) : (
            <>
              {shown} <Faint>{t('labels.noSignals')}</Faint>
            </>
          );
        },
      },
      {
        id: 'duration',
        header: t('labels.duration'),
        isNumber: true,
        value: (item) => item.stopMs - item.startMs,
        cell: (item) =>
          item.stopMs > item.startMs ? (
            format.duration((item.stopMs - item.startMs) / 1000)
          ) : (
            <Faint>{t('labels.point')}</Faint>
          ),
      },
      {
        id: 'kind',
        header: t('labels.kind'),
        value: (item) => t(`viewer.kinds.${item.kind}`),
        cell: (item) => t(`viewer.kinds.${item.kind}`),
      },
      { id: 'name', header: t('labels.name'), value: (item) => item.name, cell: (item) => item.name },
      {
        id: 'value',
        header: t('labels.value'),
        value: (item) => item.value,
        cell: (item) =>
          item.value === undefined ? (
            <Faint>{t('labels.noValue')}</Faint>
          ) : (
            <span className={styles.value}>{answerText(item, t)}</span>
          ),
      },
      {
        id: 'author',
        isSecondary: true,
        header: t('labels.author'),
        value: (item) => authors.get(item.authorId ?? ''),
        cell: (item) => authors.get(item.authorId ?? '') ?? <Faint>{t('labels.bySystem')}</Faint>,
      },
      ...(mayEdit
        ? [
            {
              id: 'actions',
              header: t('labels.actions'),
              cell: (item: LabelItem) =>
                isEditable(item) ? (
                  <span className={styles.actions}>
                    <Button small aria-label={t('labels.editOf', { name: item.name })} onPress={() => setEdited(item)}>
                      {t('labels.edit')}
                    </Button>
                    <IconButton
                      small
                      kind="quiet"
                      icon="trash"
                      label={t('viewer.deleteLabel', { name: item.name })}
                      isDisabled={isRemoving}
                      onPress={() => (needsReason ? setDeleting(item) : removeItem(item))}
                    />
                  </span>
                ) : (
                  <Faint help={t('labels.lockedHelp')}>{t('labels.locked')}</Faint>
                ),
            },
          ]
        : []),
    ],
    [
      t,
      format,
      timeZone,
      subject.recordings,
      studyId,
      subjectId,
      authors,
      mayEdit,
      needsReason,
      isRemoving,
      removeItem,
    ],
  );

  const wanted = fold(text.trim());
  const shown = items.filter(
    (item) => (kind === 'all' || item.kind === kind) && fold(`${item.name} ${item.value ?? ''}`).includes(wanted),
  );
  const failed = remove.error ?? undo.error ?? redo.error;

  return (
    <div className={styles.page}>
      {items.length > 0 && (
        <div className={styles.tools}>
          <Search label={t('labels.search')} value={text} onChange={setText} />
          <KindFilter items={items} kind={kind} onKind={setKind} />
          <span className={styles.spacer} />
          {mayEdit && shown.length > 0 && (
            <Button
              icon="download"
              aria-label={t('labels.csv')}
              onPress={() => saveText(labelsCsv(shown), fileName(subject.displayName, 'labels.csv'), 'text/csv')}
            >
              CSV
            </Button>
          )}
        </div>
      )}
      {failed && (
        <ErrorNotice
          error={failed}
          onRetry={() => {
            for (const one of [remove, undo, redo]) one.reset();
            void queries.invalidateQueries({ queryKey: ['annotation', studyId, subjectId] });
          }}
        />
      )}
      {deleted !== null && counts.undo > 0 && (
        <Notice
          tone="info"
          actions={
            <Button small isDisabled={undo.isPending} onPress={() => undo.mutate()}>
              {t('labels.undoDelete')}
            </Button>
          }
        >
          {t('labels.deleted', { name: deleted })}
        </Notice>
      )}
      {items.length === 0 ? (
        <Empty icon="ruler" title={t('labels.emptyTitle')} help={t('labels.emptyHelp')}>
          <Link
            to="/studies/$studyId/subjects/$subjectId/recordings"
            params={{ studyId, subjectId }}
            className={buttonClass('primary')}
          >
            {t('subject.toRecordings')}
          </Link>
        </Empty>
      ) : shown.length === 0 ? (
        <Empty icon="search" title={t('state.noResult')} help={t('labels.noResultHelp')}>
          <Button
            onPress={() => {
              setText('');
              setKind('all');
            }}
          >
            {t('labels.clearFilter')}
          </Button>
        </Empty>
      ) : (
        <DataTable
          caption={t('labels.title')}
          rows={shown}
          columns={columns}
          rowId={(item) => item.id}
          initialSort={{ id: 'start', desc: true }}
        />
      )}
      {deleting && (
        <DeleteLabelDialog
          item={deleting}
          history={history}
          onDeleted={({ name }) => setDeleted(name)}
          onClose={() => setDeleting(null)}
        />
      )}
      {edited && <LabelDialog item={edited} timeZone={timeZone} history={history} onClose={() => setEdited(null)} />}
    </div>
  );
}

export function Labels() {
  const { studyId, subjectId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/labels' });
  const annotations = useQuery(annotationsQuery(studyId, subjectId));
  const subject = useQuery(subjectQuery(studyId, subjectId));
  const items = useMemo(() => labelsOf(annotations.data?.items ?? [], ALWAYS), [annotations.data]);
  return (
    <QueryView query={annotations}>
      {() => subject.data && <LabelsOf key={subjectId} subject={subject.data} items={items} />}
    </QueryView>
  );
}
