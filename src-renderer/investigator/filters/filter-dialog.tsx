/** Saves the present filter of a table under a name, or changes the name of a saved one and who sees it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SavedFilter } from '../../../src-server/api/contract/index.ts';
import { type FilterTable, LONGEST_FILTER_NAME } from '../../../src-server/vocabulary/saved-filters.ts';
import { client } from '../../shared/api/client.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';

export interface FilterPlace {
  table: FilterTable;
  /** Of a table of one study. */
  studyId?: string | undefined;
}

/** The request that saves a filter. */
export const putFilter = (
  accountId: string,
  { table, studyId }: FilterPlace,
  { id, ...content }: { id: string; displayName: string; search: Record<string, string>; sharedStudyId?: string },
) =>
  client.call('putSavedFilter', {
    params: { accountId, filterId: id },
    body: { table, ...(studyId !== undefined && { studyId }), ...content },
  });

/** The studies that the user may share a filter with: that of the table, or any that they manage. */
function useSharedWith({ table, studyId }: FilterPlace) {
  const { user } = useSession();
  const can = usePermissions();
  const studies = useQuery(studiesQuery(user.accountId)).data ?? [];
  // Only administrators open the audit trail of the site.
  if (table === 'audit') return [];
  return studies.filter(({ id }) => (studyId === undefined || id === studyId) && can('study.update', id));
}

export function FilterDialog({
  place,
  chosen,
  filters,
  edited,
  onSaved,
  onClose,
}: {
  place: FilterPlace;
  /** The choice that is saved; of an edited filter, its own. */
  chosen: Record<string, string>;
  /** All of the table. */
  filters: readonly SavedFilter[];
  edited?: SavedFilter | undefined;
  onSaved: (id: string) => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const sharedWith = useSharedWith(place);
  const [id] = useState(() => edited?.id ?? crypto.randomUUID());
  const [name, setName] = useState(edited?.displayName ?? '');
  const [sharedStudyId, setShared] = useState(edited?.sharedStudyId ?? '');
  const displayName = name.trim();
  const save = useMutation({
    mutationFn: () =>
      putFilter(user.accountId, place, { id, displayName, search: chosen, ...(sharedStudyId && { sharedStudyId }) }),
    // Also after a refusal: the answer of the first request may have been lost.
    onSettled: () => queries.invalidateQueries({ queryKey: ['savedFilter'] }),
    onSuccess: () => {
      onSaved(id);
      onClose();
    },
  });
  const ownerId = edited?.owner.id ?? user.id;
  // Somebody else may have given a shared filter the name of a private one; it can keep that.
  const isTaken =
    displayName !== edited?.displayName &&
    filters.some((one) => one.id !== id && one.owner.id === ownerId && one.displayName === displayName);
  const { wasTried, onSubmit } = useCheckedSubmit(displayName !== '' && !isTaken, () => save.mutate());
  const error = displayName === '' ? t('filters.nameMissing') : isTaken ? t('filters.nameTaken') : undefined;
  const isOwn = ownerId === user.id;
  const options = [
    { id: '', label: t('filters.onlyMe') },
    ...sharedWith.map((study) => ({ id: study.id, label: t('filters.membersOf', { study: study.displayName }) })),
  ];
  return (
    <FormDialog
      title={t(edited ? 'filters.editTitle' : 'filters.saveTitle')}
      {...(!edited && { intro: t('filters.saveIntro') })}
      submitLabel={t('filters.submit')}
      mutation={save}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Field
        label={t('filters.name')}
        value={name}
        onChange={setName}
        maxLength={LONGEST_FILTER_NAME}
        {...(wasTried && error !== undefined && { error })}
      />
      {isOwn && sharedWith.length > 0 && (
        <Select
          label={t('filters.share')}
          value={sharedStudyId}
          options={options}
          onChange={setShared}
          help={t('filters.shareHelp')}
        />
      )}
    </FormDialog>
  );
}
