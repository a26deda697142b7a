/** The frame of a task in progress: close, how far, and the actions below. */
import type { ReactNode } from 'react';
import { Body } from '../../kit/body.tsx';
import { IconButton } from '../../kit/button.tsx';
import { useHeading } from '../../kit/page.tsx';
import { goBack } from '../../kit/route.ts';
import { useWords } from '../../words/words.ts';
import styles from './flow.module.css';

export function Flow({
  name,
  title,
  screen = title,
  progress,
  aside,
  children,
  actions,
  isQuestion = false,
}: {
  /** Name of the task. */
  name: string;
  title: string;
  screen?: string;
  progress?: { done: number; total: number };
  aside?: ReactNode;
  children?: ReactNode;
  actions: ReactNode;
  isQuestion?: boolean;
}) {
  const { t } = useWords();
  const heading = useHeading(screen, title);
  return (
    <>
      <header className={styles.head}>
        <div className={styles.bar}>
          <IconButton icon="close" label={t('task.close')} onClick={() => goBack('/today')} />
          <p className={styles.name}>
            {name}
            {progress && (
              <span className={styles.count} aria-hidden="true">
                {t('survey.progress', progress)}
              </span>
            )}
          </p>
          {aside}
        </div>
        {progress && (
          <div className={styles.track} aria-hidden="true">
            <div style={{ width: `${(progress.done / progress.total) * 100}%` }} />
          </div>
        )}
      </header>
      <Body isQuestion actions={actions}>
        <h1 ref={heading} tabIndex={-1} className={isQuestion ? styles.question : styles.title}>
          {progress && <span className="visually-hidden">{t('survey.spoken', progress)} </span>}
          {title}
        </h1>
        {children}
      </Body>
    </>
  );
}
