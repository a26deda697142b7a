/** Views of one thing, each with an address of its own. */
import type { ReactNode } from 'react';
import styles from './tab-links.module.css';

/** Its children are links of the router; the active one is marked by it. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {children}
    </nav>
  );
}
