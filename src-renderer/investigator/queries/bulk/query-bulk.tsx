/**
 * The steps of many data queries: resolve, reopen and assign. An answer stays single, because it is about the data of one query; so is a
 * comment.
 */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DataQuery } from '../../../../src-server/api/contract/index.ts';
import { LONGEST_QUERY_TEXT } from '../../../../src-server/vocabulary/queries.ts';
import { client } from '../../../shared/api/client.ts';
import { peopleQuery } from '../../../shared/api/note-queries.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import type { RowSelection } from '../../../shared/kit/row-selection.ts';
import { type BulkAction, BulkBar } from '../../bulk/bulk-bar.tsx';
import { BulkDialog } from '../../bulk/bulk-dialog.tsx';
import { useTooLong } from '../../bulk/too-long.ts';
import { StepFields } from '../step-fields.tsx';
import { excerptOf, isStepOfState, isTextMissing, stepBody, stepsOf } from '../steps.ts';

const STEPS = ['resolve', 'reopen', 'assign'] as const;
type ManyStep = (typeof STEPS)[number];

const ICONS = { resolve: 'check', reopen: 'retry', assign: 'subjects' } as const;

function StepMany({
  step,
  studyId,
  opened,
  now,
  onDone,
  onClose,
}: {
  step: ManyStep;
  studyId: string;
  /** As they were when the dialog opened. */
  opened: readonly DataQuery[];
  /** As they are now; undefined for one that left the list. */
  now: (id: string) => DataQuery | undefined;
  onDone: (id: string) => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const [text, setText] = useState('');
  const [assigneeId, setAssignee] = useState('');
  const isAssign = step === 'assign';
  const people = useQuery({ ...peopleQuery(studyId), enabled: isAssign }).data?.items ?? [];
  const isMissing = isTextMissing(step, text);
  const tooLong = useTooLong(text, LONGEST_QUERY_TEXT);
  const refusalOf = (query: DataQuery | undefined) => {
    if (!query) return t('bulk.refusal.gone');
    if (!isStepOfState(query, step)) return t('bulk.refusal.queryState', { state: t(`queries.states.${query.state}`) });
    if (!stepsOf(query, user, can).includes(step)) return t('bulk.refusal.queryPerson');
    if (!isAssign || (query.assignee?.id ?? '') !== assigneeId) return undefined;
    return t(`bulk.refusal.${assigneeId === '' ? 'noAssignee' : 'sameAssignee'}`);
  };
  return (
    <BulkDialog
      kind={`queries.${step}`}
      title={t(`bulk.queries.${step}.title`)}
      submitLabel={(count) => t(`bulk.queries.${step}.submit`, { count })}
      rows={opened.map((query) => ({
        id: query.id,
        name: t('bulk.queries.row', { subject: query.subjectName, text: excerptOf(query) }),
        refusal: refusalOf(now(query.id)),
      }))}
      isValid={!isMissing && tooLong === undefined}
      act={async (queryId, id) => {
        await client.call('addQueryStep', {
          params: { studyId, queryId },
          body: stepBody(step, id, text, assigneeId),
        });
        return undefined;
      }}
      topics={['query']}
      onDone={onDone}
      onClose={onClose}
    >
      {(wasTried) => (
        <StepFields
          step={step}
          people={people}
          assigneeId={assigneeId}
          onAssignee={setAssignee}
          text={text}
          onText={setText}
          error={tooLong ?? (wasTried && isMissing ? t('queries.textMissing') : undefined)}
        />
      )}
    </BulkDialog>
  );
}

export function QueryBulk({
  selection,
  studyId,
  queries,
}: {
  selection: RowSelection;
  studyId: string;
  /** As far as they have been read. */
  queries: readonly DataQuery[];
}) {
  const { t } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const [open, setOpen] = useState<{ step: ManyStep; queries: readonly DataQuery[] }>();
  const selected = queries.filter(({ id }) => selection.ids.has(id));
  // A step that none of them can take is not offered.
  const actions = STEPS.filter((step) => selected.some((query) => stepsOf(query, user, can).includes(step))).map(
    (step): BulkAction => ({
      id: `queries.${step}`,
      label: t(`queries.${step}`),
      icon: ICONS[step],
      run: () => setOpen({ step, queries: selected }),
    }),
  );
  const byId = new Map(queries.map((query) => [query.id, query]));
  const ids = queries.map(({ id }) => id);
  return (
    <>
      <BulkBar
        selection={selection}
        known={ids}
        shown={ids}
        count={(count) => t('bulk.selected.queries', { count })}
        actions={actions}
        kinds={Object.fromEntries(STEPS.map((step) => [`queries.${step}`, t(`queries.${step}`)]))}
        isBusy={open !== undefined}
      />
      {open && (
        <StepMany
          step={open.step}
          studyId={studyId}
          opened={open.queries}
          now={(id) => byId.get(id)}
          onDone={(id) => selection.remove([id])}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}
