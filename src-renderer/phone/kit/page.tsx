/** The frame of one screen: heading, content, and the actions within reach of the thumb. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useWords } from '../words/words.ts';
import { Body } from './body.tsx';
import { IconButton } from './button.tsx';
import styles from './page.module.css';
import { goBack } from './route.ts';

/**
 * Moves the focus to the heading when a screen appears, so that a screen reader reads it and the keyboard starts there.
 * `screen` names the screen: another question of a survey is another screen.
 */
export function useHeading(screen: string, title: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new screen is what moves the focus
  useEffect(() => {
    scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, [screen]);
  useEffect(() => {
    document.title = `${title} – Outpost`;
  }, [title]);
  return heading;
}

export function Page({
  title,
  screen = title,
  lead,
  head,
  backTo,
  aside,
  children,
  actions,
}: {
  title: string;
  screen?: string;
  /** A line under the heading. */
  lead?: ReactNode;
  /** More in the coloured head of the screen. */
  head?: ReactNode;
  /** Path of the screen above this one. */
  backTo?: string;
  /** A control at the end of the heading. */
  aside?: ReactNode;
  children: ReactNode;
  actions?: ReactNode;
}) {
  const { t } = useWords();
  const heading = useHeading(screen, title);
  return (
    <>
      <header className={styles.head}>
        <div className={styles.bar}>
          {backTo !== undefined && <IconButton icon="back" label={t('frame.back')} onClick={() => goBack(backTo)} />}
          <h1 ref={heading} tabIndex={-1} className={styles.title}>
            {title}
          </h1>
          {aside}
        </div>
        {lead && <p className={styles.lead}>{lead}</p>}
        {head}
      </header>
      <Body actions={actions}>{children}</Body>
    </>
  );
}

/** A part of a screen with a heading of its own. */
export function Section({ title, count, children }: { title: string; count?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id} className={styles.sectionTitle}>
        {title}
        {count !== undefined && <span className={styles.count}>{count}</span>}
      </h2>
      {children}
    </section>
  );
}

export function Card({ children, tone = 'plain' }: { children: ReactNode; tone?: 'plain' | 'strong' }) {
  return <div className={tone === 'strong' ? styles.strongCard : styles.card}>{children}</div>;
}

/** Space between blocks that stand one below the other. */
export function Stack({ children, gap = 'normal' }: { children: ReactNode; gap?: 'small' | 'normal' | 'wide' }) {
  return <div className={styles[`stack-${gap}`]}>{children}</div>;
}
