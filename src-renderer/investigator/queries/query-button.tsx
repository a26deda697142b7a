/** Opens a query where the data is shown, and marks what has queries that are not resolved. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { DataQuery } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { unresolvedQuery } from '../../shared/api/data-query-queries.ts';
import { peopleQuery } from '../../shared/api/note-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, buttonClass } from '../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Select, TextAreaField } from '../../shared/kit/forms.tsx';
import { useCommands } from '../commands/commands.ts';

/** What a query is about. */
export type QueryAbout = Pick<DataQuery, 'studyId' | 'subjectId' | 'target' | 'targetId' | 'date'>;

/** A metric of the day, by its name in the interface and its label. */
interface NamedMetric {
  id: string;
  label: string;
}

function OpenDialog({
  about,
  name,
  metrics,
  onClose,
}: {
  about: QueryAbout;
  name: string;
  metrics?: readonly NamedMetric[] | undefined;
  onClose: () => void;
}) {
  const { t } = useWords();
  const { studyId, subjectId, ...target } = about;
  const queries = useQueryClient();
  const people = useQuery(peopleQuery(studyId));
  const [id] = useState(() => crypto.randomUUID());
  const [text, setText] = useState('');
  const [metric, setMetric] = useState('');
  const [assigneeId, setAssigneeId] = useState('');
  const open = useMutation({
    mutationFn: () =>
      client.call('openQuery', {
        params: { studyId, subjectId },
        body: { id, ...target, text, ...(metric && { metric }), ...(assigneeId && { assigneeId }) },
      }),
    // Also after a refusal: the query may be saved already.
    onError: () => queries.invalidateQueries({ queryKey: ['query', studyId] }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['query', studyId] });
      onClose();
    },
  });
  const refused = useFieldErrors(open.error);
  const isMissing = text.trim() === '';
  const { wasTried, onSubmit } = useCheckedSubmit(!isMissing, () => open.mutate());
  const error = wasTried && isMissing ? t('queries.textMissing') : refused('text');
  return (
    <FormDialog
      title={t('queries.open')}
      intro={t('queries.openIntro', { name })}
      submitLabel={t('queries.open')}
      mutation={open}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextAreaField
        label={t('queries.text')}
        value={text}
        onChange={setText}
        rows={4}
        {...(error !== undefined && { error })}
      />
      {metrics && metrics.length > 0 && (
        <Select
          label={t('queries.metric')}
          value={metric}
          options={[{ id: '', label: t('queries.wholeDay') }, ...metrics]}
          onChange={setMetric}
        />
      )}
      <Select
        label={t('queries.assignee')}
        value={assigneeId}
        options={[
          { id: '', label: t('queries.anyone') },
          ...(people.data?.items ?? []).map(({ id: userId, displayName }) => ({ id: userId, label: displayName })),
        ]}
        onChange={setAssigneeId}
      />
    </FormDialog>
  );
}

export function QueryButton({
  about,
  name,
  metrics,
  isCommand = false,
}: {
  about: QueryAbout;
  /** Of what it is about, in words. */
  name: string;
  /** Of a day, those that its page lists. */
  metrics?: readonly NamedMetric[];
  /** Whether the page has one such button: then Q opens a query. */
  isCommand?: boolean;
}) {
  const { t } = useWords();
  const { studyId, subjectId, target, targetId, date } = about;
  const mayOpen = usePermissions()('query.open', studyId);
  const unresolved = useQuery(unresolvedQuery(studyId, subjectId));
  const [isOpen, setOpen] = useState(false);
  const count = (unresolved.data ?? []).filter(
    (one) => one.target === target && one.targetId === targetId && one.date === date,
  ).length;
  useCommands(
    isCommand
      ? [
          {
            id: 'queries.open',
            label: t('queries.open'),
            keys: ['Q'],
            scope: 'page',
            isEnabled: mayOpen,
            run: () => setOpen(true),
          },
        ]
      : [],
  );
  return (
    <>
      {count > 0 && (
        <Link
          to="/studies/$studyId/subjects/$subjectId/queries"
          params={{ studyId, subjectId }}
          className={buttonClass()}
          data-queries={count}
        >
          {t('queries.unresolved', { count })}
        </Link>
      )}
      {mayOpen && (
        <Button
          small={!isCommand}
          kind={isCommand ? 'plain' : 'quiet'}
          aria-label={t('queries.openOf', { name })}
          onPress={() => setOpen(true)}
        >
          {t('queries.open')}
        </Button>
      )}
      {isOpen && <OpenDialog about={about} name={name} metrics={metrics} onClose={() => setOpen(false)} />}
    </>
  );
}
