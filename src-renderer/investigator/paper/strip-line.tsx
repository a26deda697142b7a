/** One line of an ECG strip: ten seconds of paper with its calibration pulse, marks of time, gaps and trace. */
import { SECOND_MS } from '../../../src-server/durations.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { preciseClock } from '../../shared/time/local-day.ts';
import { CSS_PX_PER_MM } from '../viewer/drawing/grid.ts';
import type { Extent } from '../viewer/view.ts';
import styles from './paper.module.css';
import {
  LEAD_IN_MM,
  LINE_HEIGHT_MM,
  LINE_WIDTH_MM,
  MARKS_MM,
  MM_PER_MV,
  MM_PER_S,
  PAPER_MM,
  ZERO_MM,
} from './strip-layout.ts';
import { gridPath, hatchPath, type LineDrawing, xOf } from './strip-paths.ts';

/** The pulse is 1 mV for 200 ms, as of a chart recorder, with flat paper on both sides. */
const PULSE = `M-8.5 ${ZERO_MM}h1.5v-${MM_PER_MV}h5v${MM_PER_MV}h1.5`;
const TEXT_MM = 2.6;
/** Widths of letters as a share of the text's height, on the safe side. */
const widthMm = (text: string) =>
  [...text].reduce((sum, letter) => sum + (letter.charCodeAt(0) > 0xff ? 1 : 0.62), 0) * TEXT_MM;

/** Whole CSS pixels, so that the browser does not stretch the picture to them. */
const WIDTH_PX = Math.ceil((LINE_WIDTH_MM + 1) * CSS_PX_PER_MM);
const HEIGHT_PX = Math.ceil(LINE_HEIGHT_MM * CSS_PX_PER_MM);
const VIEW_BOX = [-LEAD_IN_MM - 0.5, -MARKS_MM, WIDTH_PX / CSS_PX_PER_MM, HEIGHT_PX / CSS_PX_PER_MM].join(' ');

function Gap({ gap, line, wordings }: { gap: Extent; line: Extent; wordings: readonly string[] }) {
  const from = Math.max(0, xOf(gap.startMs, line));
  const to = xOf(Math.min(gap.stopMs, line.stopMs), line);
  const words = wordings.find((wording) => widthMm(wording) + 4 <= to - from);
  const middle = (from + to) / 2;
  return (
    <g>
      <rect x={from} y={0} width={to - from} height={PAPER_MM} className={styles.gap} />
      <path d={hatchPath(from, to)} className={styles.hatch} />
      {words && (
        <>
          <rect
            x={middle - widthMm(words) / 2 - 1}
            y={PAPER_MM / 2 - 2.5}
            width={widthMm(words) + 2}
            height={5}
            className={styles.gap}
          />
          <text x={middle} y={PAPER_MM / 2 + 1} textAnchor="middle" fontSize={TEXT_MM}>
            {words}
          </text>
        </>
      )}
    </g>
  );
}

export function StripLine({
  drawing: { line, levelMv, trace, beyond },
  gaps,
  wordsOf,
  timeZone,
}: {
  drawing: LineDrawing;
  /** Gaps of the whole strip. */
  gaps: readonly Extent[];
  /** Wordings of a gap, from the longest to the shortest. */
  wordsOf: (gap: Extent) => readonly string[];
  timeZone: string;
}) {
  const { t, format } = useWords();
  const clockOf = (ms: number) => preciseClock(ms, timeZone).clock.slice(0, 8);
  const widthOfLine = xOf(line.stopMs, line);
  const seconds = Array.from({ length: Math.round((line.stopMs - line.startMs) / SECOND_MS) + 1 }, (_, i) => i);
  return (
    <svg
      width={WIDTH_PX}
      height={HEIGHT_PX}
      viewBox={VIEW_BOX}
      role="img"
      aria-label={t('paper.lineOf', { from: clockOf(line.startMs), to: clockOf(line.stopMs) })}
      className={styles.line}
    >
      <path d={gridPath(-LEAD_IN_MM, widthOfLine, PAPER_MM, 1)} className={styles.fine} />
      <path d={gridPath(-LEAD_IN_MM, widthOfLine, PAPER_MM, 5)} className={styles.bold} />
      <path d={seconds.map((second) => `M${second * MM_PER_S} -1.6V0`).join('')} className={styles.tick} />
      {seconds
        .filter((second) => second % 5 === 0 && second * SECOND_MS < line.stopMs - line.startMs)
        .map((second) => (
          <text key={second} x={second * MM_PER_S + 0.6} y={-0.9} fontSize={TEXT_MM}>
            {clockOf(line.startMs + second * SECOND_MS)}
          </text>
        ))}
      {levelMv !== 0 && (
        <text x={widthOfLine} y={-2.3} textAnchor="end" fontSize={TEXT_MM}>
          {t('paper.level', { value: format.number(levelMv, 1) })}
        </text>
      )}
      <path d={PULSE} className={styles.trace} />
      {/* The inner picture ends at the edges of the paper, and so does the trace. */}
      <svg
        aria-hidden="true"
        x={0}
        y={0}
        width={widthOfLine}
        height={PAPER_MM}
        viewBox={`0 0 ${widthOfLine} ${PAPER_MM}`}
      >
        <path d={trace} className={styles.trace} />
        <path d={beyond} className={styles.beyond} />
      </svg>
      {gaps
        .filter((gap) => gap.stopMs > line.startMs && gap.startMs < line.stopMs)
        .map((gap) => (
          <Gap key={gap.startMs} gap={gap} line={line} wordings={wordsOf(gap)} />
        ))}
    </svg>
  );
}
