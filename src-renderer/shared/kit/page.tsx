/** The layout of a screen, and classes for its panels and notes. */
import type { ReactNode } from 'react';
import styles from './page.module.css';

/** The layout of a screen: title, summary line, actions, content. */
export function Page({
  title,
  summary,
  actions,
  back,
  children,
}: {
  title: ReactNode;
  summary?: ReactNode;
  actions?: ReactNode;
  /** Link to the parent page, above the title. */
  back?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <div className={styles.title}>
          {back}
          <h1>{title}</h1>
          {summary && <p>{summary}</p>}
        </div>
        {actions}
      </div>
      {children}
    </div>
  );
}

export const panelClass = styles.panel;
export const noteClass = styles.note;
