/** Views of one thing, each with an address of its own. */
import type { ReactNode } from 'react';
import styles from './tab-links.module.css';

/**
 * Its children are links of the router; the active one is marked by it. `bar`: across the whole width, above the title of
 * the page; `inHead`: in the head of a page, whose line is theirs too.
 */
export function TabLinks({ label, place, children }: { label: string; place?: 'bar' | 'inHead'; children: ReactNode }) {
  return (
    <nav className={place ? `${styles.tabs} ${styles[place]}` : styles.tabs} aria-label={label}>
      {children}
    </nav>
  );
}
