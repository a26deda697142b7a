import type { ReactNode } from 'react';
import styles from './page.module.css';

/** A screen: its title, one line about it, its actions, its content. */
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
  /** A link to where one came from, above the title. */
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
