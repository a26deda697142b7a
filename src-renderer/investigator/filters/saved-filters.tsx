/** The menu of a table's saved filters: applies one, saves the present one, and replaces, edits or deletes the one that is applied. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components';
import type { SavedFilter } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { savedFiltersQuery } from '../../shared/api/saved-filter-queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { ConfirmDialog } from '../../shared/kit/confirm-dialog.tsx';
import styles from '../../shared/kit/controls.module.css';
import { Button } from '../../shared/kit/controls.tsx';
import { Icon, type IconName } from '../../shared/kit/icon.tsx';
import { ErrorNotice } from '../../shared/kit/state.tsx';
import { useCommands } from '../commands/commands.ts';
import { FilterDialog, type FilterPlace, putFilter } from './filter-dialog.tsx';
import { type FilterFields, isSameFilter } from './filter-search.ts';
import type { TableFilter } from './use-table-filter.ts';

interface MenuAction {
  id: string;
  label: string;
  icon: IconName;
  run: () => void;
}

function FilterItem({ filter, isApplied, userId }: { filter: SavedFilter; isApplied: boolean; userId: string }) {
  const { t } = useWords();
  const { id, displayName, owner } = filter;
  return (
    <MenuItem id={id} textValue={displayName} className={styles.menuItem}>
      <span className={styles.tick}>{isApplied && <Icon name="check" size={16} />}</span>
      {displayName}
      {owner.id !== userId && <small>{t('filters.sharedBy', { name: owner.displayName })}</small>}
    </MenuItem>
  );
}

export function SavedFilters<F extends FilterFields>({
  table,
  studyId,
  filter,
}: FilterPlace & { filter: Pick<TableFilter<F>, 'chosen' | 'isFiltered' | 'apply' | 'clear'> }) {
  const { t } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const queries = useQueryClient();
  const place = { table, studyId };
  const list = useQuery(savedFiltersQuery(user.accountId, table, studyId));
  const [lastId, setLast] = useState<string>();
  const [open, setOpen] = useState<'save' | 'edit' | 'delete'>();
  const filters = list.data?.items ?? [];
  const { chosen, isFiltered } = filter;
  const isApplied = ({ search }: SavedFilter) => isSameFilter(search, chosen);
  // The one that is shown, or else the one that was applied last: it was changed since, or the list no longer knows what it chooses.
  const last = filters.find(({ id }) => id === lastId);
  const applied = last && isApplied(last) ? last : filters.find(isApplied);
  const current = applied ?? last;
  const mayChange = ({ owner, sharedStudyId }: SavedFilter) =>
    sharedStudyId === undefined ? owner.id === user.id : can('study.update', sharedStudyId);
  const replace = useMutation({
    mutationFn: ({ id, displayName, sharedStudyId }: SavedFilter) =>
      putFilter(user.accountId, place, {
        id,
        displayName,
        search: chosen,
        ...(sharedStudyId !== undefined && { sharedStudyId }),
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['savedFilter'] }),
  });
  const apply = ({ id, search }: SavedFilter) => {
    setLast(id);
    filter.apply(search);
  };
  useCommands([
    ...filters.map((one) => ({
      id: `filter ${one.id}`,
      label: t('filters.command', { name: one.displayName }),
      scope: 'page' as const,
      run: () => apply(one),
    })),
    {
      id: 'filters.save',
      label: t('filters.save'),
      scope: 'page',
      isEnabled: isFiltered && !applied,
      run: () => setOpen('save'),
    },
  ]);
  const actions: MenuAction[] = [];
  if (isFiltered && !applied)
    actions.push({ id: 'save', label: t('filters.save'), icon: 'plus', run: () => setOpen('save') });
  if (current && mayChange(current)) {
    const { displayName: name } = current;
    if (isFiltered && !applied)
      actions.push({
        id: 'replace',
        label: t('filters.replace', { name }),
        icon: 'check',
        run: () => replace.mutate(current),
      });
    actions.push({ id: 'edit', label: t('filters.edit', { name }), icon: 'pencil', run: () => setOpen('edit') });
  }
  if (current && (current.owner.id === user.id || mayChange(current)))
    actions.push({
      id: 'delete',
      label: t('filters.delete', { name: current.displayName }),
      icon: 'trash',
      run: () => setOpen('delete'),
    });
  if (isFiltered) actions.push({ id: 'clear', label: t('filters.clear'), icon: 'close', run: filter.clear });
  const sections = [
    { title: t('filters.own'), items: filters.filter(({ owner }) => owner.id === user.id) },
    { title: t('filters.shared'), items: filters.filter(({ owner }) => owner.id !== user.id) },
  ].filter(({ items }) => items.length > 0);
  const close = () => setOpen(undefined);
  return (
    <>
      <MenuTrigger onOpenChange={(isOpen) => isOpen && void list.refetch()}>
        <Button>
          {applied ? t('filters.menuOf', { name: applied.displayName }) : t('filters.menu')}
          <Icon name="down" size={18} />
        </Button>
        <Popover className={styles.popover} placement="bottom end">
          <Menu
            className={styles.menu}
            aria-label={t('filters.menu')}
            disabledKeys={['none']}
            onAction={(key) => {
              const found = filters.find(({ id }) => id === key);
              if (found) apply(found);
              else actions.find(({ id }) => id === key)?.run();
            }}
          >
            {sections.map(({ title, items }) => (
              <MenuSection key={title} className={styles.menuSection}>
                <Header className={styles.menuHeader}>{title}</Header>
                {items.map((one) => (
                  <FilterItem key={one.id} filter={one} isApplied={one === applied} userId={user.id} />
                ))}
              </MenuSection>
            ))}
            {sections.length === 0 && (
              <MenuItem id="none" textValue={t('filters.none')} className={styles.menuItem}>
                <span className={styles.tick} />
                {t('filters.none')}
              </MenuItem>
            )}
            {actions.length > 0 && (
              <MenuSection className={styles.menuSection} aria-label={t('filters.menu')}>
                {actions.map(({ id, label, icon }) => (
                  <MenuItem key={id} id={id} textValue={label} className={styles.menuItem}>
                    <span className={styles.tick}>
                      <Icon name={icon} size={16} />
                    </span>
                    {label}
                  </MenuItem>
                ))}
              </MenuSection>
            )}
          </Menu>
        </Popover>
      </MenuTrigger>
      {replace.error && <ErrorNotice error={replace.error} onRetry={() => current && replace.mutate(current)} />}
      {open === 'save' && (
        <FilterDialog place={place} chosen={chosen} filters={filters} onSaved={setLast} onClose={close} />
      )}
      {open === 'edit' && current && (
        <FilterDialog
          place={place}
          chosen={current.search}
          filters={filters}
          edited={current}
          onSaved={setLast}
          onClose={close}
        />
      )}
      {open === 'delete' && current && (
        <ConfirmDialog
          title={t('filters.deleteTitle', { name: current.displayName })}
          effect={t(current.sharedStudyId === undefined ? 'filters.deleteEffect' : 'filters.deleteSharedEffect')}
          submitLabel={t('filters.deleteSubmit')}
          run={() => client.call('deleteSavedFilter', { params: { accountId: user.accountId, filterId: current.id } })}
          changes={['savedFilter']}
          onClose={close}
        />
      )}
    </>
  );
}
