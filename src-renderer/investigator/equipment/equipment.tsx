/** All equipment of the account, searched and filtered by type and state. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { FleetItem } from '../../../src-server/api/contract/index.ts';
import { fold } from '../../../src-server/vocabulary/search.ts';
import { fleetQuery } from '../../shared/api/equipment-queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { loadWords, useWords } from '../../shared/i18n/i18n.ts';
import { Button, IconButton, Search, Segments } from '../../shared/kit/controls.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { useNow } from '../../shared/time/now.ts';
import { BulkArea } from '../bulk/bulk-area.tsx';
import { useCommands } from '../commands/commands.ts';
import { oneOf, TEXT } from '../filters/filter-search.ts';
import { SavedFilters } from '../filters/saved-filters.tsx';
import { useTableFilter } from '../filters/use-table-filter.ts';
import { EquipmentBulk, useEquipmentSelection } from './bulk/selection.tsx';
import { isMalfunction } from './contact.tsx';
import { RegisterDialog, TYPES } from './dialogs.tsx';
import styles from './equipment.module.css';
import { EquipmentTable } from './equipment-table.tsx';
import { EquipmentFrame, PairLink, useMayManage } from './frame.tsx';
import { freshnessOf } from './freshness.ts';

const KINDS = ['ALL', ...TYPES] as const;
const STATES = ['all', 'out', 'free', 'attention'] as const;
const FILTER_FIELDS = { text: TEXT, type: oneOf(KINDS, 'ALL'), state: oneOf(STATES, 'all') };

function EquipmentList({ items, onPrint }: { items: FleetItem[]; onPrint: () => void }) {
  const { t } = useWords();
  const now = useNow();
  const filter = useTableFilter(FILTER_FIELDS);
  const { set, clear } = filter;
  const { text, type: kind, state } = filter.values;
  const rows = useMemo(() => {
    /** Overdue or faulty. */
    const needsAttention = (item: FleetItem) =>
      freshnessOf({ ...item, sinceTs: item.holder?.sinceTs }, now) === 'late' ||
      item.faultCounts.some(({ faultClass }) => isMalfunction(faultClass));
    const matchesState = {
      all: () => true,
      out: (item: FleetItem) => item.state === 'ASSIGNED',
      free: (item: FleetItem) => item.state === 'UNASSIGNED',
      attention: needsAttention,
    }[state];
    const query = fold(text.trim());
    return items.filter(
      (item) =>
        (kind === 'ALL' || item.type === kind) &&
        matchesState(item) &&
        fold(
          `${item.displayName} ${item.id} ${item.udid ?? ''} ${item.holder?.subjectName ?? ''} ${item.holder?.studyName ?? ''}`,
        ).includes(query),
    );
  }, [items, text, kind, state, now]);
  const selection = useEquipmentSelection(items);
  return (
    <>
      <div className={`${styles.tools} ${styles.filters}`}>
        <Search label={t('equipment.search')} value={text} onChange={(next) => set({ text: next })} />
        <Segments
          label={t('equipment.type')}
          value={kind}
          options={KINDS.map((id) => ({ id, label: t(`equipment.kinds.${id}`) }))}
          onChange={(type) => set({ type })}
        />
        <Segments
          label={t('equipment.state')}
          value={state}
          options={STATES.map((id) => ({ id, label: t(`equipment.states.${id}`) }))}
          onChange={(next) => set({ state: next })}
        />
        <SavedFilters table="equipment" filter={filter} />
        <IconButton kind="quiet" icon="page" label={t('equipment.print')} onPress={onPrint} />
      </div>
      <BulkArea>
        {rows.length > 0 ? (
          <EquipmentTable items={rows} caption={t('equipment.title')} withHolder selection={selection} />
        ) : state === 'attention' && !text && kind === 'ALL' ? (
          <Empty icon="check" title={t('equipment.noAttention')} help={t('equipment.noAttentionHelp')}>
            <Button onPress={clear}>{t('equipment.showAll')}</Button>
          </Empty>
        ) : (
          <Empty icon="search" title={t('state.noResult')} help={t('equipment.noResultHelp')}>
            <Button onPress={clear}>{t('equipment.showAll')}</Button>
          </Empty>
        )}
        <EquipmentBulk selection={selection} items={items} shown={rows} />
      </BulkArea>
    </>
  );
}

const RegisterTable = lazy(async () => {
  await loadWords('rowTables');
  return { default: (await import('./register-table.tsx')).RegisterTable };
});

export function Equipment() {
  const { t } = useWords();
  const { user } = useSession();
  const mayManage = useMayManage();
  const fleet = useQuery(fleetQuery(user.accountId));
  const [isRegistering, setRegistering] = useState(false);
  const [hasTable, setTable] = useState(false);
  const navigate = useNavigate();
  const print = () => void navigate({ to: '/print/equipment' });
  useCommands([
    {
      id: 'equipment.register',
      label: t('equipment.register'),
      scope: 'page',
      isEnabled: mayManage,
      run: () => setRegistering(true),
    },
    { id: 'equipment.print', label: t('equipment.print'), keys: ['p'], scope: 'page', run: print },
  ]);
  const actions = mayManage && (
    <div className={styles.actions}>
      <Button icon="plus" onPress={() => setRegistering(true)}>
        {t('equipment.register')}
      </Button>
      <Button icon="rows" onPress={() => setTable(true)}>
        {t('equipment.registerTable')}
      </Button>
      <PairLink label={t('equipment.pair')} />
    </div>
  );
  const items = fleet.data?.items;
  return (
    <EquipmentFrame
      summary={
        items &&
        items.length > 0 &&
        t('equipment.summary', {
          count: items.length,
          out: items.filter(({ state }) => state === 'ASSIGNED').length,
        })
      }
      actions={items?.length !== 0 && actions}
    >
      <QueryView query={fleet}>
        {(data) =>
          data.items.length === 0 ? (
            <Empty icon="equipment" title={t('equipment.emptyTitle')} help={t('equipment.emptyHelp')}>
              {actions}
            </Empty>
          ) : (
            <EquipmentList items={data.items} onPrint={print} />
          )
        }
      </QueryView>
      {isRegistering && <RegisterDialog onClose={() => setRegistering(false)} />}
      <Suspense>{hasTable && <RegisterTable onClose={() => setTable(false)} />}</Suspense>
    </EquipmentFrame>
  );
}
