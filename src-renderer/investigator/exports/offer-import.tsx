/** Offers files that were dropped or opened for import into a study that the user may import into. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { desktopProgram, type FileOffer, type OpenedFile, readOpenedFile } from '../../shared/desktop.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { InfoDialog } from '../../shared/kit/form-dialog.tsx';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import { Notice, QueryView } from '../../shared/kit/state.tsx';
import { ImportFiles } from './import-files.tsx';

/** Files that were opened elsewhere, read into the page. */
type Taken = { state: 'reading'; name: string; share: number } | { state: 'gone'; name: string } | { files: File[] };

function useTaken(opened: readonly OpenedFile[]): Taken {
  const [taken, setTaken] = useState<Taken>({ state: 'reading', name: opened[0]?.name ?? '', share: 0 });
  useEffect(() => {
    let isLeaving = false;
    const take = async () => {
      const program = desktopProgram();
      const files: File[] = [];
      for (const file of opened) {
        const show = (doneBytes: number) =>
          setTaken({ state: 'reading', name: file.name, share: doneBytes / Math.max(file.sizeBytes, 1) });
        try {
          if (program && !isLeaving) files.push(await readOpenedFile(program, file, show));
        } catch {
          setTaken({ state: 'gone', name: file.name });
          return;
        }
      }
      if (!isLeaving) setTaken({ files });
    };
    void take();
    return () => {
      isLeaving = true;
    };
  }, [opened]);
  return taken;
}

function OpenedImport({ opened, onClose }: { opened: readonly OpenedFile[]; onClose: () => void }) {
  const { t } = useWords();
  const taken = useTaken(opened);
  if ('files' in taken) return <ImportInto files={taken.files} onClose={onClose} />;
  const { name } = taken;
  return (
    <InfoDialog title={t('imports.title')} onClose={onClose}>
      {taken.state === 'gone' ? (
        <Notice tone="bad">{t('imports.gone', { name })}</Notice>
      ) : (
        <div role="status">
          <p>{t('imports.taking', { name })}</p>
          <ProgressBar label={t('imports.taking', { name })} done={taken.share} total={1} />
        </div>
      )}
    </InfoDialog>
  );
}

function ImportInto({ files, onClose }: { files: readonly File[]; onClose: () => void }) {
  const { t } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const studies = useQuery(studiesQuery(user.accountId));
  const importing = studies.data?.filter(({ id }) => can('recording.import', id));
  if (importing && importing.length > 0) return <ImportFiles studies={importing} offered={files} onClose={onClose} />;
  return (
    <InfoDialog title={t('imports.title')} onClose={onClose}>
      <QueryView query={studies}>{() => <Notice tone="warn">{t('imports.noStudy')}</Notice>}</QueryView>
    </InfoDialog>
  );
}

export function OfferImport({ offer, onClose }: { offer: FileOffer; onClose: () => void }) {
  if ('files' in offer) return <ImportInto files={offer.files} onClose={onClose} />;
  const close = () => {
    void desktopProgram()?.forgetOpenedFiles(offer.opened.map(({ id }) => id));
    onClose();
  };
  return <OpenedImport opened={offer.opened} onClose={close} />;
}
