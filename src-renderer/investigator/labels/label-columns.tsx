/** The columns of a subject's label table. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Recording } from '../../../src-server/api/contract/index.ts';
import { personName } from '../../../src-server/study/person-name.ts';
import type { DeskSubject } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { usersQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, IconButton } from '../../shared/kit/controls.tsx';
import { type Column, Faint } from '../../shared/kit/data-table.tsx';
import { QueryButton } from '../queries/query-button.tsx';
import { recordingAt } from '../subjects/coverage.ts';
import { isEditable, type LabelItem } from '../viewer/data/labels.ts';
import { answerText } from './label-rules.ts';
import styles from './labels.module.css';

/** When a label starts, linked to the signals of that moment where there are any. */
function Start({
  item,
  subject,
  recordings,
}: {
  item: LabelItem;
  subject: DeskSubject;
  recordings: readonly Recording[];
}) {
  const { t, format } = useWords();
  const { id: subjectId, studyId, timezone: timeZone } = subject;
  const recording = recordingAt(recordings, item.startMs);
  const time = <span title={format.dateTime(item.startMs, timeZone)}>{format.moment(item.startMs, timeZone)}</span>;
  return recording ? (
    <Link
      to="/studies/$studyId/subjects/$subjectId/recordings/$recordingId"
      params={{ studyId, subjectId, recordingId: recording.id }}
      search={{ at: item.startMs }}
      aria-label={t('labels.signalsOf', { name: item.name, time: format.moment(item.startMs, timeZone) })}
    >
      {time}
    </Link>
  ) : (
    <>
      {time} <Faint>{t('labels.noSignals')}</Faint>
    </>
  );
}

interface ActionProps {
  isDeleting: boolean;
  onEdit: (item: LabelItem) => void;
  onDelete: (item: LabelItem) => void;
}

function Actions({ item, isDeleting, onEdit, onDelete }: ActionProps & { item: LabelItem }) {
  const { t } = useWords();
  if (!isEditable(item)) return <Faint help={t('labels.lockedHelp')}>{t('labels.locked')}</Faint>;
  return (
    <span className={styles.actions}>
      <Button small aria-label={t('labels.editOf', { name: item.name })} onPress={() => onEdit(item)}>
        {t('labels.edit')}
      </Button>
      <IconButton
        small
        kind="quiet"
        icon="trash"
        label={t('viewer.deleteLabel', { name: item.name })}
        isDisabled={isDeleting}
        onPress={() => onDelete(item)}
      />
    </span>
  );
}

/** Names of everyone who may have written a label, by id. */
function useAuthors({ id, displayName }: DeskSubject): ReadonlyMap<string, string> {
  const { user } = useSession();
  const users = useQuery(usersQuery(user.accountId));
  return useMemo(() => {
    const names = new Map(users.data?.items.map((one) => [one.id, personName(one)]));
    return names.set(id, displayName);
  }, [users.data, id, displayName]);
}

/** @param recordings those that the labels may belong to */
export function useLabelColumns(
  subject: DeskSubject,
  recordings: readonly Recording[],
  { mayEdit, isDeleting, onEdit, onDelete }: ActionProps & { mayEdit: boolean },
): Column<LabelItem>[] {
  const { t, format } = useWords();
  const authors = useAuthors(subject);
  return useMemo(
    () => [
      {
        id: 'start',
        header: t('labels.start'),
        value: (item) => item.startMs,
        cell: (item) => <Start item={item} subject={subject} recordings={recordings} />,
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
      {
        id: 'query',
        isSecondary: true,
        header: t('queries.column'),
        cell: (item) => (
          <QueryButton
            about={{
              studyId: subject.studyId,
              subjectId: subject.id,
              target: item.kind === 'label' || item.kind === 'system' ? 'LABEL' : 'ANSWER',
              targetId: item.id,
            }}
            name={item.name}
          />
        ),
      },
      ...(mayEdit
        ? [
            {
              id: 'actions',
              header: t('labels.actions'),
              cell: (item: LabelItem) => (
                <Actions item={item} isDeleting={isDeleting} onEdit={onEdit} onDelete={onDelete} />
              ),
            },
          ]
        : []),
    ],
    [t, format, subject, recordings, authors, mayEdit, isDeleting, onEdit, onDelete],
  );
}
