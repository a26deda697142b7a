/** The tools above the sheets of a print view, and the choice of paper, which lives in the address. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Segments } from '../../shared/kit/controls.tsx';
import styles from './paper.module.css';
import { PAPER_IDS, PAPERS, type Paper, usualPaper } from './papers.ts';

export function usePaper() {
  const { paper = usualPaper(navigator.language) } = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    paper,
    choosePaper: (next: Paper) =>
      void navigate({ to: '.', search: (old: object) => ({ ...old, paper: next }), replace: true }),
  };
}

/** Browsers offer the title of a document as the name of its PDF. */
export function useFileName(name: string | undefined): void {
  useEffect(() => {
    if (name === undefined) return;
    const before = document.title;
    document.title = name.replaceAll(/[/\\:]/g, '.');
    return () => {
      document.title = before;
    };
  }, [name]);
}

export function Tools({
  title,
  help,
  isReady,
  back,
}: {
  title: string;
  help: string;
  /** False until everything that prints is there. */
  isReady: boolean;
  back: ReactNode;
}) {
  const { t } = useWords();
  const { paper, choosePaper } = usePaper();
  return (
    <div className={styles.tools}>
      <h1>{title}</h1>
      <Segments
        label={t('paper.paperLabel')}
        value={paper}
        options={PAPER_IDS.map((id) => ({ id, label: PAPERS[id].name }))}
        onChange={choosePaper}
      />
      <Button kind="primary" isDisabled={!isReady} onPress={() => window.print()}>
        {t('paper.print')}
      </Button>
      <p>{help}</p>
      <span className={styles.spacer} />
      {back}
    </div>
  );
}
