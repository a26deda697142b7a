/** Files dropped anywhere on the desk, or opened with the desktop program, are offered for import. */
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { desktopProgram, type FileOffer, type OpenedFile } from '../../shared/desktop.ts';
import { loadWords, useWords } from '../../shared/i18n/i18n.ts';
import styles from './offered-files.module.css';

/** From the chunk of the screen that imports files: one of its own would split what screens share. */
const OfferImport = lazy(async () => {
  const [{ OfferImport: component }] = await Promise.all([
    import('../exports/exports.tsx'),
    loadWords('exports', 'subject'),
  ]);
  return { default: component };
});

/** How often it is looked whether a dialog was closed. */
const LOOK_AGAIN_MS = 500;

/** A dialog that is open comes first: what it holds is not finished. */
const isBusy = () => document.querySelector('[role="dialog"]') !== null;

const filesOf = (transfer: DataTransfer | null): File[] =>
  [...(transfer?.items ?? [])].flatMap((item) => {
    // The browser hands over a folder as a file without content.
    if (item.kind !== 'file' || item.webkitGetAsEntry()?.isDirectory) return [];
    return item.getAsFile() ?? [];
  });

/** Takes files that no part of the page took itself, and keeps the browser from opening them in place of the desk. */
function useDroppedFiles(onDrop: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const listening = new AbortController();
    const listen = (name: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      document.addEventListener(
        name,
        (event) => {
          if (event.dataTransfer?.types.includes('Files')) act(event);
        },
        { signal: listening.signal },
      );
    listen('dragover', (event) => {
      if (event.defaultPrevented) return;
      event.preventDefault();
      setOver(!isBusy());
    });
    listen('dragleave', (event) => {
      if (event.relatedTarget === null) setOver(false);
    });
    listen('drop', (event) => {
      setOver(false);
      if (event.defaultPrevented) return;
      event.preventDefault();
      const files = filesOf(event.dataTransfer);
      if (files.length > 0 && !isBusy()) onDrop(files);
    });
    return () => listening.abort();
  }, [onDrop]);
  return isOver;
}

/** Waits for files that the user opens with Outpost, as long as none are offered. */
function useOpenedFiles(isWaiting: boolean, onOpened: (opened: OpenedFile[]) => void): void {
  useEffect(() => {
    const program = desktopProgram();
    if (!program || !isWaiting) return;
    let isLeaving = false;
    const follow = async () => {
      while (!isLeaving) {
        const opened = await program.openedFiles();
        if (opened.length === 0) continue;
        while (isBusy() && !isLeaving) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
        if (!isLeaving) onOpened(opened);
        return;
      }
    };
    // The program ends, and this page with it.
    follow().catch(() => undefined);
    return () => {
      isLeaving = true;
    };
  }, [isWaiting, onOpened]);
}

export function OfferedFiles() {
  const { t } = useWords();
  const [offer, setOffer] = useState<FileOffer | null>(null);
  const isOver = useDroppedFiles(useCallback((files) => setOffer({ files }), []));
  useOpenedFiles(
    offer === null,
    useCallback((opened) => setOffer({ opened }), []),
  );
  return (
    <>
      {isOver && (
        <div className={styles.over} aria-hidden>
          <span>{t('app.dropFiles')}</span>
        </div>
      )}
      {offer && (
        <Suspense>
          <OfferImport offer={offer} onClose={() => setOffer(null)} />
        </Suspense>
      )}
    </>
  );
}
