/** Exports entries of the audit trail for a third party, and shows the closing hash that proves later that the file is whole. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../shared/api/client.ts';
import { openSigned } from '../../shared/api/download.ts';
import type { HistoryFilter } from '../../shared/api/message-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, CopyTextButton, IconButton } from '../../shared/kit/controls.tsx';
import { FormDialog } from '../../shared/kit/form-dialog.tsx';
import styles from './history.module.css';

type HistoryScope = { studyId: string } | { accountId: string };

function useAuditExport(scope: HistoryScope, selection: HistoryFilter) {
  return useMutation({
    mutationFn: () =>
      'studyId' in scope
        ? client.call('exportStudyAudit', { params: scope, body: selection })
        : client.call('exportAccountAudit', { params: scope, body: selection }),
  });
}

function AuditExportDialog({ made, onClose }: { made: ReturnType<typeof useAuditExport>; onClose: () => void }) {
  const { t, format } = useWords();
  const { data } = made;
  return (
    <FormDialog
      title={t('history.audit.title')}
      intro={data && t(data.isWhole ? 'history.audit.whole' : 'history.audit.part')}
      submitLabel={t('history.audit.download')}
      mutation={{ isPending: made.isPending, error: made.error }}
      isDisabled={!data}
      onSubmit={() => {
        if (!data) return;
        openSigned(data.href);
        onClose();
      }}
      onClose={onClose}
    >
      {data && (
        <>
          <p>{t('history.audit.help')}</p>
          <dl className={styles.seal}>
            <dt>{t('history.audit.rows')}</dt>
            <dd>{format.number(data.rows)}</dd>
            <dt>{t('history.audit.closingHash')}</dt>
            <dd>
              <code>{data.closingHash}</code>
            </dd>
          </dl>
          <p>
            <CopyTextButton
              label={t('history.audit.copy')}
              copiedText={t('history.audit.copied')}
              text={() => `${data.rows}:${data.closingHash}`}
            />
          </p>
        </>
      )}
    </FormDialog>
  );
}

export function AuditExport({
  scope,
  selection,
  record,
}: {
  scope: HistoryScope;
  selection: HistoryFilter;
  /** Name of the only record of the selection; the button is then a small one in its row. */
  record?: string;
}) {
  const { t } = useWords();
  const [isOpen, setOpen] = useState(false);
  const made = useAuditExport(scope, selection);
  const open = () => {
    made.mutate();
    setOpen(true);
  };
  return (
    <>
      {record === undefined ? (
        <Button icon="exports" onPress={open}>
          {t('history.audit.open')}
        </Button>
      ) : (
        <IconButton
          small
          kind="quiet"
          icon="exports"
          label={t('history.audit.openOf', { name: record })}
          onPress={open}
        />
      )}
      {isOpen && <AuditExportDialog made={made} onClose={() => setOpen(false)} />}
    </>
  );
}
