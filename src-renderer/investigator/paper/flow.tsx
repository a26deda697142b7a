/**
 * The contents of a report on sheets. They are laid out once out of sight, in the width of the paper, and divided into pages by
 * the heights that they took: whole blocks, whole rows, and the head of a table again on each of its pages.
 */
import { Fragment, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type Content, ContentPart } from './contents.tsx';
import { dividePages, type Measured, type Piece } from './pages.ts';
import styles from './paper.module.css';
import { bodyOf, type Paper, PX_PER_MM } from './papers.ts';

function measure(element: Element): Measured {
  const table = element.querySelector(':scope > table');
  const { top, height } = element.getBoundingClientRect();
  if (!table) return { heightPx: height };
  const rows = [...table.querySelectorAll(':scope > tbody > tr')].map((row) => row.getBoundingClientRect());
  const rowsPx = rows.map((row) => row.height);
  const bodyPx = rowsPx.reduce((sum, px) => sum + px, 0);
  // What stands above the rows, and the space below the table.
  const headPx = rows[0] ? rows[0].top - top + (height - bodyPx - (rows[0].top - top)) : height;
  return { heightPx: height, table: { headPx, rowsPx } };
}

export function Flow({
  paper,
  contents,
  sheet,
}: {
  paper: Paper;
  /** The same array until something of it changes. */
  contents: readonly Content[];
  sheet: (page: number, pages: number, children: ReactNode) => ReactNode;
}) {
  const reference = useRef<HTMLDivElement>(null);
  const { widthMm, heightMm } = bodyOf(paper);
  const wanted = useMemo(() => ({ paper, contents }), [paper, contents]);
  const [divided, setDivided] = useState<{ of: typeof wanted; pages: Piece[][] }>();
  useLayoutEffect(() => {
    if (!reference.current) return;
    const measured = [...reference.current.children].map(measure);
    setDivided({ of: wanted, pages: dividePages(measured, heightMm * PX_PER_MM) });
  }, [wanted, heightMm]);
  if (divided?.of !== wanted)
    return (
      <div ref={reference} className={styles.measure} style={{ width: `${widthMm}mm` }}>
        {contents.map((content) => (
          <div key={content.id} style={{ display: 'flow-root' }}>
            <ContentPart content={content} />
          </div>
        ))}
      </div>
    );
  const { pages } = divided;
  return (
    <div className={styles.sheets} data-testid="sheets" data-ready="true">
      {pages.map((pieces, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a page is its number
        <Fragment key={index}>
          {sheet(
            index + 1,
            pages.length,
            <div className={styles.contents} style={{ width: `${widthMm}mm` }}>
              {pieces.map(({ index: which, from, to }) => {
                const content = contents[which];
                return content && <ContentPart key={content.id} content={content} from={from} to={to} />;
              })}
            </div>,
          )}
        </Fragment>
      ))}
    </div>
  );
}
