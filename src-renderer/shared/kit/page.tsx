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

/** A panel of named facts. */
export function FactPanel({
  label,
  className,
  facts,
}: {
  label: string;
  className: string | undefined;
  facts: readonly (readonly [name: string, value: ReactNode])[];
}) {
  return (
    <dl className={`${styles.panel} ${className}`} aria-label={label}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export const panelClass = styles.panel;
export const noteClass = styles.note;
/** Parts of a page below each other. */
export const stackClass = styles.stack;
/** The controls above a list, in one line where there is room; what follows the spacer stands at the end. */
export const toolsClass = styles.tools;
export const spacerClass = styles.spacer;
