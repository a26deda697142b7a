/** The dialogs of actions on many subjects: group and stratum, a note for each, hiding and showing again. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListedSubject } from '../../../../src-server/api/contract/index.ts';
import { LONGEST_NOTE } from '../../../../src-server/vocabulary/notes.ts';
import { LONGEST_REASON } from '../../../../src-server/vocabulary/participation.ts';
import { client } from '../../../shared/api/client.ts';
import { peopleQuery } from '../../../shared/api/note-queries.ts';
import { studyPlanQuery } from '../../../shared/api/participation-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import { BulkDialog } from '../../bulk/bulk-dialog.tsx';
import { useTooLong } from '../../bulk/too-long.ts';
import { missingOf, type NoteEntry, newNoteOf } from '../../notes/note-entry.ts';
import { NoteFields } from '../../notes/note-fields.tsx';
import { groupAfter, isSameGroup, replacesGroup } from '../../participation/group-choice.ts';
import { ReasonField } from '../../participation/reason-field.tsx';
import { groupRefusal, hideRefusal, type Refusal } from './refusals.ts';

export interface ManyProps {
  /** As they were when the dialog opened. */
  subjects: readonly ListedSubject[];
  /** As they are now; undefined for one that left the list. */
  now: (id: string) => ListedSubject | undefined;
  studyNames: ReadonlyMap<string, string>;
  onDone: (id: string) => void;
  onClose: () => void;
}

const TOPICS = ['subject', 'participation', 'attention', 'study'];

function useRows({ subjects, now }: ManyProps, refusalOf: (subject: ListedSubject | undefined) => Refusal | undefined) {
  const { t } = useWords();
  return subjects.map(({ id, displayName }) => {
    const refusal = refusalOf(now(id));
    return { id, name: displayName, refusal: refusal && t(`bulk.refusal.${refusal}`) };
  });
}

const paramsOf = (subjects: readonly ListedSubject[], id: string) => {
  const { studyId } = subjects.find((one) => one.id === id)!;
  return { studyId, subjectId: id };
};

/** Choice that keeps what each subject has. */
const KEEP = 'keep';

export function GroupMany(props: ManyProps) {
  const { subjects, now, studyNames, onDone, onClose } = props;
  const { t } = useWords();
  const studyIds = [...new Set(subjects.map(({ studyId }) => studyId))];
  const [studyId, setStudy] = useState(studyIds[0] ?? '');
  const plan = useQuery(studyPlanQuery(studyId)).data;
  const [group, setGroup] = useState(KEEP);
  const [stratum, setStratum] = useState(KEEP);
  const [reason, setReason] = useState('');
  const chosen = (value: string) => (value === KEEP ? undefined : value);
  const choice = { groupId: chosen(group), stratumId: chosen(stratum) };
  const isChosen = group !== KEEP || stratum !== KEEP;
  const rows = useRows(props, (subject) =>
    isChosen || subject?.studyId !== studyId ? groupRefusal(subject, studyId, choice) : undefined,
  );
  const needsReason = rows.some(({ id, refusal }) => !refusal && replacesGroup(now(id)?.summary ?? {}, choice));
  const isReasonMissing = needsReason && reason.trim() === '';
  const act = async (id: string, requestId: string) => {
    const params = paramsOf(subjects, id);
    // The step sets both. What the list says may be old by now, and the stratum that somebody just entered would be lost.
    const standing = await client.call('getParticipation', { params });
    if (isSameGroup(standing, choice)) return t('bulk.refusal.sameGroup');
    const next = groupAfter(standing, choice);
    await client.call('setSubjectGroup', {
      params,
      body: {
        id: requestId,
        ...(next.groupId && { groupId: next.groupId }),
        ...(next.stratumId && { stratumId: next.stratumId }),
        ...(reason.trim() !== '' && { reason: reason.trim() }),
      },
    });
    return undefined;
  };
  const optionsOf = (choices: readonly { id: string; displayName: string }[]) => [
    { id: KEEP, label: t('bulk.keep') },
    ...choices.map(({ id, displayName }) => ({ id, label: displayName })),
    { id: '', label: t('participation.none') },
  ];
  const [groups, strata] = [plan?.groups ?? [], plan?.strata ?? []];
  return (
    <BulkDialog
      kind="subjects.group"
      title={t('bulk.group.title')}
      submitLabel={(count) => t('bulk.group.submit', { count })}
      rows={rows}
      isValid={isChosen && !isReasonMissing}
      act={act}
      topics={TOPICS}
      onDone={onDone}
      onClose={onClose}
    >
      {(wasTried) => (
        <>
          {studyIds.length > 1 && (
            <Select
              label={t('subjects.study')}
              value={studyId}
              options={studyIds.map((id) => ({ id, label: studyNames.get(id) ?? '' }))}
              onChange={(next) => {
                setStudy(next);
                setGroup(KEEP);
                setStratum(KEEP);
              }}
            />
          )}
          {plan && groups.length + strata.length === 0 && <Notice tone="warn">{t('bulk.group.noGroups')}</Notice>}
          {groups.length > 0 && (
            <Select
              label={t('participation.group')}
              value={group}
              options={optionsOf(groups)}
              onChange={setGroup}
              error={wasTried && !isChosen ? t('bulk.group.missing') : undefined}
            />
          )}
          {strata.length > 0 && (
            <Select
              label={t('participation.stratum')}
              value={stratum}
              options={optionsOf(strata)}
              onChange={setStratum}
              error={wasTried && !isChosen && groups.length === 0 ? t('bulk.group.missing') : undefined}
            />
          )}
          <ReasonField
            value={reason}
            isNeeded={needsReason}
            error={wasTried && isReasonMissing ? t('participation.reasonMissing') : undefined}
            onChange={setReason}
          />
        </>
      )}
    </BulkDialog>
  );
}

export function NoteMany(props: ManyProps) {
  const { subjects, onDone, onClose } = props;
  const { t } = useWords();
  const [entry, setEntry] = useState<NoteEntry>({ body: '', choice: 'NOTE', date: '', assigneeId: '' });
  // Somebody who may see one study may not see another.
  const studyIds = [...new Set(subjects.map(({ studyId }) => studyId))];
  const people = useQuery({ ...peopleQuery(studyIds[0] ?? ''), enabled: studyIds.length === 1 }).data?.items ?? [];
  const rows = useRows(props, (subject) => (subject ? undefined : 'gone'));
  const missing = missingOf(entry);
  const tooLong = useTooLong(entry.body, LONGEST_NOTE);
  const act = async (id: string, requestId: string) => {
    await client.call('addSubjectNote', {
      params: paramsOf(subjects, id),
      body: { id: requestId, ...newNoteOf(entry) },
    });
    return undefined;
  };
  return (
    <BulkDialog
      kind="subjects.note"
      title={t('bulk.note.title')}
      intro={t('bulk.note.intro')}
      submitLabel={(count) => t('bulk.note.submit', { count })}
      rows={rows}
      isValid={!missing.body && !missing.date && tooLong === undefined}
      act={act}
      topics={['note', 'attention']}
      onDone={onDone}
      onClose={onClose}
    >
      {(wasTried) => (
        <NoteFields
          entry={entry}
          onChange={setEntry}
          people={studyIds.length === 1 ? people : undefined}
          errors={{
            body: tooLong ?? (wasTried && missing.body ? t('notes.textMissing') : undefined),
            date: wasTried && missing.date ? t('notes.dateMissing') : undefined,
          }}
        />
      )}
    </BulkDialog>
  );
}

export function HideMany({ isHidden, ...props }: ManyProps & { isHidden: boolean }) {
  const { subjects, onDone, onClose } = props;
  const { t } = useWords();
  const [reason, setReason] = useState('');
  const rows = useRows(props, (subject) => hideRefusal(subject, isHidden));
  const tooLong = useTooLong(reason.trim(), LONGEST_REASON);
  const kind = isHidden ? 'hide' : 'show';
  return (
    <BulkDialog
      kind={`subjects.${kind}`}
      title={t(`bulk.${kind}.title`)}
      intro={t(`bulk.${kind}.intro`)}
      submitLabel={(count) => t(`bulk.${kind}.submit`, { count })}
      rows={rows}
      isValid={tooLong === undefined}
      act={async (id) => {
        // Hiding what is hidden changes nothing, so a repeated request is safe without an id.
        const body = { isHidden, reason: reason.trim() || undefined };
        await client.call('updateSubject', { params: paramsOf(subjects, id), body });
        return undefined;
      }}
      topics={TOPICS}
      onDone={onDone}
      onClose={onClose}
    >
      {() => (
        <Field
          label={t('subjectForm.optional', { label: t('subjectForm.reason') })}
          help={t('subjectForm.reasonHelp')}
          value={reason}
          onChange={setReason}
          error={tooLong}
        />
      )}
    </BulkDialog>
  );
}
