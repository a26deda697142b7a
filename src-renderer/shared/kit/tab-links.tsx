/** Tabs that are links, for views with an address of their own. */
import type { ReactNode } from 'react';
import styles from './tab-links.module.css';

/**
 * The children are router links; the router marks the active one.
 * @param place `bar`: across the whole width, above the page title; `inHead`: in the page head, sharing its line
 */
export function TabLinks({ label, place, children }: { label: string; place?: 'bar' | 'inHead'; children: ReactNode }) {
  return (
    <nav className={place ? `${styles.tabs} ${styles[place]}` : styles.tabs} aria-label={label}>
      {children}
    </nav>
  );
}
