/** Below the head of every screen: the content, and the actions within reach of the thumb. */
import type { ReactNode } from 'react';
import styles from './body.module.css';

export function Body({
  children,
  actions,
  isQuestion = false,
}: {
  children: ReactNode;
  actions?: ReactNode;
  /** A question, whose parts belong together. */
  isQuestion?: boolean;
}) {
  return (
    <main className={styles.main}>
      <div className={isQuestion ? styles.question : styles.content}>{children}</div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </main>
  );
}

/** What stands in place of a list that is empty: an emblem, a heading and a sentence. */
export function Nothing({ children }: { children: ReactNode }) {
  return <div className={styles.nothing}>{children}</div>;
}
