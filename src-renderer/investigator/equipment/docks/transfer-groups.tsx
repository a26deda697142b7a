/** Recordings on docks and in folders, grouped by what they need. */
import { useState } from 'react';
import type { Transfer } from '../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { DataTable } from '../../../shared/kit/data-table.tsx';
import styles from '../equipment.module.css';
import { type TransferAction, useTransferColumns } from './transfer-columns.tsx';
import { ConfirmDialog, DismissDialog, TakeDialog } from './transfer-dialogs.tsx';

const GROUPS = [
  { id: 'open', states: ['OFFERED', 'QUESTION'] },
  { id: 'stored', states: ['STORED'] },
  { id: 'moving', states: ['COPYING', 'IMPORTING'] },
  { id: 'over', states: ['FAILED', 'DISMISSED', 'CONFIRMED'] },
] as const satisfies { id: string; states: Transfer['state'][] }[];

export function TransferGroups({ transfers }: { transfers: Transfer[] }) {
  const { t } = useWords();
  const [action, setAction] = useState<TransferAction>();
  const columns = useTransferColumns(setAction);
  const close = () => setAction(undefined);
  return (
    <>
      {GROUPS.map(({ id, states }) => {
        const own = transfers.filter(({ state }) => (states as readonly Transfer['state'][]).includes(state));
        if (own.length === 0) return null;
        const title = t(`docks.groups.${id}`);
        return (
          <section key={id} className={styles.section}>
            <h2>{title}</h2>
            <p>{t(`docks.groupHelp.${id}`)}</p>
            <DataTable
              caption={title}
              rows={own}
              columns={columns}
              rowId={(transfer) => transfer.id}
              initialSort={{ id: 'period', desc: true }}
            />
          </section>
        );
      })}
      {action?.kind === 'take' && <TakeDialog transfer={action.transfer} onClose={close} />}
      {action?.kind === 'dismiss' && <DismissDialog transfer={action.transfer} onClose={close} />}
      {action?.kind === 'confirm' && <ConfirmDialog transfer={action.transfer} onClose={close} />}
    </>
  );
}
