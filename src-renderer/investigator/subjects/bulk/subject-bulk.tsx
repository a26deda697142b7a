/**
 * The actions on many subjects. Each is offered only where the person may do it to every selected subject.
 *
 * Withdrawal, a change of status, consent, sign-in codes, erasure and signatures are left out on purpose: each is a decision about one
 * person, and is entered on that person's page.
 */
import { useQueries, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ListedSubject } from '../../../../src-server/api/contract/index.ts';
import { studyPlanQuery } from '../../../shared/api/participation-queries.ts';
import { type Operation, usePermissions } from '../../../shared/api/permissions.ts';
import { studiesQuery } from '../../../shared/api/queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { loadWords, useWords } from '../../../shared/i18n/i18n.ts';
import type { RowSelection } from '../../../shared/kit/row-selection.ts';
import { type BulkAction, BulkBar } from '../../bulk/bulk-bar.tsx';
import { MESSAGES } from '../../messages/batch/repeated.ts';
import { exportPreset } from './export-preset.ts';
import type { ManyProps } from './many-dialogs.tsx';

const manyDialogs = async () =>
  (await Promise.all([import('./many-dialogs.tsx'), loadWords('participation', 'notes')]))[0];
const GroupMany = lazy(async () => ({ default: (await manyDialogs()).GroupMany }));
const NoteMany = lazy(async () => ({ default: (await manyDialogs()).NoteMany }));
const HideMany = lazy(async () => ({ default: (await manyDialogs()).HideMany }));
const BatchDialog = lazy(async () => {
  await loadWords('messagesAndEvents');
  return { default: (await import('../../messages/batch/batch-dialog.tsx')).BatchDialog };
});
const NewExport = lazy(async () => {
  await loadWords('exports');
  return { default: (await import('../../exports/new-export.tsx')).NewExport };
});

type Kind = 'message' | 'note' | 'group' | 'hide' | 'show' | 'export';

const OPERATIONS: Readonly<Record<Kind, Operation>> = {
  message: 'message.send',
  note: 'note.write',
  group: 'participation.write',
  hide: 'subject.update',
  show: 'subject.update',
  export: 'study.export',
};

export function SubjectBulk({
  selection,
  subjects,
  shown,
  studyNames,
}: {
  selection: RowSelection;
  /** All that are loaded. */
  subjects: readonly ListedSubject[];
  /** Ids of those that the present filter shows. */
  shown: readonly string[];
  studyNames: ReadonlyMap<string, string>;
}) {
  const { t } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const studies = useQuery(studiesQuery(user.accountId)).data ?? [];
  const [open, setOpen] = useState<{ kind: Kind; subjects: readonly ListedSubject[] }>();
  const selected = subjects.filter(({ id }) => selection.ids.has(id));
  const studyIds = [...new Set(selected.map(({ studyId }) => studyId))];
  const hasGroups = useQueries({
    queries: studyIds.map(studyPlanQuery),
    combine: (plans) => plans.some(({ data }) => data && data.groups.length + data.strata.length > 0),
  });
  const mayDo = (kind: Kind) => studyIds.every((studyId) => can(OPERATIONS[kind], studyId));
  const suits: Record<Kind, boolean> = {
    message: true,
    note: true,
    group: hasGroups,
    hide: selected.some(({ isHidden }) => !isHidden),
    show: selected.some(({ isHidden }) => isHidden),
    // Exports never hold test subjects.
    export: selected.some(({ isTest }) => !isTest),
  };
  const labels: Record<Kind, string> = {
    message: t('bulk.message.action'),
    note: t('bulk.note.action'),
    group: t('bulk.group.action'),
    hide: t('hide.hide'),
    show: t('hide.show'),
    export: t('bulk.export.action'),
  };
  const icons = {
    message: 'messages',
    note: 'pencil',
    group: 'subjects',
    hide: 'eye',
    show: 'eye',
    export: 'exports',
  } as const;
  const offered = (Object.keys(labels) as Kind[]).filter((kind) => suits[kind]);
  const actions = offered.filter(mayDo).map(
    (kind): BulkAction => ({
      id: `subjects.${kind}`,
      label: labels[kind],
      icon: icons[kind],
      run: () => setOpen({ kind, subjects: selected }),
    }),
  );
  const isSomeLeftOut = offered.some((kind) => !mayDo(kind) && studyIds.some((id) => can(OPERATIONS[kind], id)));
  const close = () => setOpen(undefined);
  const byId = new Map(subjects.map((subject) => [subject.id, subject]));
  const many: ManyProps = {
    subjects: open?.subjects ?? [],
    now: (id) => byId.get(id),
    studyNames,
    onDone: (id) => selection.remove([id]),
    onClose: close,
  };
  const ofOpen = studies.filter(({ id }) => many.subjects.some(({ studyId }) => studyId === id));
  const preset = exportPreset(many.subjects);
  const exported = studies.filter(({ id }) => preset.has(id));
  return (
    <>
      <BulkBar
        selection={selection}
        known={subjects.map(({ id }) => id)}
        shown={shown}
        count={(count) => t('bulk.selected.subjects', { count })}
        hint={isSomeLeftOut && t('bulk.leftOut')}
        actions={actions}
        kinds={{
          [MESSAGES]: labels.message,
          'subjects.note': labels.note,
          'subjects.group': labels.group,
          'subjects.hide': labels.hide,
          'subjects.show': labels.show,
        }}
        isBusy={open !== undefined}
      />
      <Suspense>
        {open?.kind === 'message' && (
          <BatchDialog
            studies={ofOpen}
            chosenIds={many.subjects.map(({ id }) => id)}
            onSent={(ids) => selection.remove(ids)}
            onClose={close}
          />
        )}
        {open?.kind === 'note' && <NoteMany {...many} />}
        {open?.kind === 'group' && <GroupMany {...many} />}
        {(open?.kind === 'hide' || open?.kind === 'show') && <HideMany {...many} isHidden={open.kind === 'hide'} />}
        {open?.kind === 'export' && exported[0] && (
          <NewExport studies={exported} studyId={exported[0].id} preset={preset} onClose={close} />
        )}
      </Suspense>
    </>
  );
}
