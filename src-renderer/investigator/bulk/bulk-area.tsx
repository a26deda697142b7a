import type { ReactNode } from 'react';
import styles from './bulk.module.css';

/** A list with the bar of what can be done to its selected rows. In a file of its own: the bar itself loads later. */
export function BulkArea({ children }: { children: ReactNode }) {
  return <div className={styles.area}>{children}</div>;
}
