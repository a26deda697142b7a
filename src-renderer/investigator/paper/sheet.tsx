/** One sheet of paper: a header with what is shown, the content, and a footer with page, purpose and a ruler. */
import type { ReactNode } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { CSS_PX_PER_MM } from '../viewer/drawing/grid.ts';
import styles from './paper.module.css';
import { PAPERS, type Paper } from './papers.ts';
import { widthEm } from './text-width.ts';

export interface Fact {
  name: string;
  value: ReactNode;
  /** As wide as two others. */
  isWide?: boolean;
}

/** What two lines of a third of the header hold, em. */
const LONGEST_EM = 44;
/** A value that would be cut off takes a line of its own: a name must be whole on every sheet. */
const isLong = (value: ReactNode) => typeof value === 'string' && widthEm(value) > LONGEST_EM;

const RULER_PX = Math.ceil(52 * CSS_PX_PER_MM);
const RULER_HEIGHT_PX = 16;
const RULER_BOX = `-1 0 ${RULER_PX / CSS_PX_PER_MM} ${RULER_HEIGHT_PX / CSS_PX_PER_MM}`;
const CENTIMETRES = [0, 10, 20, 30, 40, 50];

/** A ruler on the paper itself shows whether a printer kept the size. */
function Ruler() {
  const { t } = useWords();
  return (
    <svg width={RULER_PX} height={RULER_HEIGHT_PX} viewBox={RULER_BOX} className={styles.ruler} aria-hidden="true">
      <path d={`M0 3.5H50${CENTIMETRES.map((mm) => `M${mm} 2.2V3.5`).join('')}`} className={styles.tick} />
      <text x={25} y={1.9} textAnchor="middle" fontSize={2.2}>
        {t('paper.ruler')}
      </text>
    </svg>
  );
}

export function Sheet({
  paper,
  title,
  facts,
  page,
  pages,
  printed,
  note,
  children,
}: {
  paper: Paper;
  title: string;
  facts: readonly Fact[];
  page: number;
  pages: number;
  /** When, by whom and with which version. */
  printed: string;
  note?: string;
  children: ReactNode;
}) {
  const { t } = useWords();
  const { widthMm, heightMm } = PAPERS[paper];
  return (
    <section
      className={`${styles.sheet} ${styles[paper]}`}
      style={{ width: `${widthMm}mm`, height: `${heightMm}mm` }}
      aria-label={t('paper.page', { page, total: pages })}
    >
      <header className={styles.header}>
        <h2>{title}</h2>
        <p className={styles.page}>{t('paper.page', { page, total: pages })}</p>
        <dl>
          {facts.map(({ name, value, isWide }) => (
            <div key={name} className={isLong(value) ? styles.long : isWide ? styles.wide : undefined}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </header>
      <div className={styles.body}>{children}</div>
      <footer className={styles.footer}>
        <div>
          <p>{t('app.retrospective')}</p>
          <p>{[printed, note].filter(Boolean).join(' · ')}</p>
        </div>
        <Ruler />
      </footer>
    </section>
  );
}
