/** Uploads grouped by what they need: a decision, a fix, waiting, or nothing any more. */
import { useState } from 'react';
import type { Upload } from '../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { DataTable } from '../../../shared/kit/data-table.tsx';
import { RegisterDialog } from '../dialogs.tsx';
import styles from '../equipment.module.css';
import { type UploadAction, useUploadColumns } from './upload-columns.tsx';
import { AcceptDialog, RejectDialog } from './upload-dialogs.tsx';

function UploadTable({
  uploads,
  caption,
  onAction,
}: {
  uploads: Upload[];
  caption: string;
  onAction: (action: UploadAction) => void;
}) {
  const columns = useUploadColumns(uploads, onAction);
  return (
    <DataTable
      caption={caption}
      rows={uploads}
      columns={columns}
      rowId={(upload) => upload.id}
      initialSort={{ id: 'start', desc: true }}
    />
  );
}

const GROUPS = [
  { id: 'waiting', states: ['QUARANTINED'] },
  { id: 'refused', states: ['REFUSED'] },
  { id: 'receiving', states: ['RECEIVING', 'RECEIVED'] },
  { id: 'rejected', states: ['REJECTED'] },
] as const satisfies { id: string; states: Upload['state'][] }[];

export function UploadGroups({ uploads }: { uploads: Upload[] }) {
  const { t } = useWords();
  const [action, setAction] = useState<UploadAction>();
  const close = () => setAction(undefined);
  return (
    <>
      {GROUPS.map((group) => {
        const states: readonly Upload['state'][] = group.states;
        const own = uploads.filter(({ state }) => states.includes(state));
        if (own.length === 0) return null;
        const title = t(`uploads.groups.${group.id}`);
        return (
          <section key={group.id} className={styles.section}>
            <h2>{title}</h2>
            <p>{t(`uploads.groupHelp.${group.id}`)}</p>
            <UploadTable uploads={own} caption={title} onAction={setAction} />
          </section>
        );
      })}
      {action?.kind === 'accept' && <AcceptDialog upload={action.upload} onClose={close} />}
      {action?.kind === 'reject' && <RejectDialog upload={action.upload} onClose={close} />}
      {action?.kind === 'register' && <RegisterDialog serial={action.upload.sensorId} onClose={close} />}
    </>
  );
}
