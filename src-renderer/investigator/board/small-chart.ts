/** Geometry of a small chart of days, for the screen and for SVG files: lines end at gaps, and partial days are hollow. Pure. */
import type { BoardDay } from './board-data.ts';

export interface ChartAxis {
  low: number;
  high: number;
}

export interface ChartFrame {
  leftPx: number;
  topPx: number;
  widthPx: number;
  heightPx: number;
}

export interface SmallChart {
  /** Paths of consecutive days with values. */
  lines: string[];
  dots: { x: number; y: number; day: BoardDay & { value: number } }[];
}

const round = (value: number) => Math.round(value * 10) / 10;

/** @param scale by which values are divided for the axis */
export function smallChart(days: readonly BoardDay[], axis: ChartAxis, frame: ChartFrame, scale: number): SmallChart {
  const step = frame.widthPx / Math.max(1, days.length - 1);
  const range = axis.high - axis.low || 1;
  const dots: SmallChart['dots'] = [];
  const lines: string[] = [];
  let line: string[] = [];
  const end = () => {
    if (line.length > 1) lines.push(`M${line.join('L')}`);
    line = [];
  };
  for (const [index, day] of days.entries()) {
    if (day.value === null) {
      end();
      continue;
    }
    const x = round(frame.leftPx + index * step);
    const y = round(frame.topPx + frame.heightPx * (1 - (day.value / scale - axis.low) / range));
    dots.push({ x, y, day: { ...day, value: day.value } });
    line.push(`${x} ${y}`);
  }
  end();
  return { lines, dots };
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export interface ChartColumn {
  /** The metric with its unit. */
  title: string;
  axis: ChartAxis;
  scale: number;
  /** Ends of the axis in words. */
  low: string;
  high: string;
}

const CELL = { widthPx: 260, heightPx: 84 };
const NAME_PX = 130;
const HEAD_PX = 64;
const FOOT_PX = 30;
const FONT = "system-ui, 'Segoe UI', 'Noto Sans CJK JP', 'Hiragino Sans', 'Yu Gothic', sans-serif";

/**
 * Returns the charts as an SVG file that needs nothing else: subjects in rows, metrics in columns, the columns with one axis each.
 * @param made a line with the date of making
 */
export function boardSvg({
  colors,
  title,
  made,
  dates,
  columns,
  rows,
}: {
  /** Concrete ones: the file stands alone. */
  colors: (name: 'surface' | 'text' | 'line-strong' | 'accent') => string;
  title: string;
  made: string;
  /** First and last, in words. */
  dates: { first: string; last: string };
  columns: readonly ChartColumn[];
  rows: readonly { name: string; series: readonly (readonly BoardDay[])[] }[];
}): string {
  const [surface, line] = [colors('surface'), colors('accent')];
  const width = NAME_PX + columns.length * CELL.widthPx + 10;
  const height = HEAD_PX + rows.length * CELL.heightPx + FOOT_PX;
  const text = (x: number, y: number, content: string, more = '') =>
    `<text x="${x}" y="${y}"${more}>${escaped(content)}</text>`;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="${FONT}" font-size="11" fill="${colors('text')}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${surface}"/>`,
    text(10, 22, title, ' font-size="15" font-weight="600"'),
  ];
  for (const [c, column] of columns.entries()) {
    const left = NAME_PX + c * CELL.widthPx;
    parts.push(text(left + 40, 46, column.title, ' font-weight="600"'));
  }
  for (const [r, { name, series }] of rows.entries()) {
    const top = HEAD_PX + r * CELL.heightPx;
    parts.push(text(10, top + CELL.heightPx / 2, name));
    for (const [c, column] of columns.entries()) {
      const left = NAME_PX + c * CELL.widthPx;
      const frame = { leftPx: left + 40, topPx: top + 8, widthPx: CELL.widthPx - 60, heightPx: CELL.heightPx - 30 };
      const bottom = frame.topPx + frame.heightPx;
      const { lines, dots } = smallChart(series[c] ?? [], column.axis, frame, column.scale);
      parts.push(
        `<path d="M${frame.leftPx} ${frame.topPx}V${bottom}H${frame.leftPx + frame.widthPx}" fill="none" stroke="${colors('line-strong')}"/>`,
        text(frame.leftPx - 4, frame.topPx + 4, column.high, ' text-anchor="end" font-size="9"'),
        text(frame.leftPx - 4, bottom, column.low, ' text-anchor="end" font-size="9"'),
        text(frame.leftPx, bottom + 12, dates.first, ' font-size="9"'),
        text(frame.leftPx + frame.widthPx, bottom + 12, dates.last, ' text-anchor="end" font-size="9"'),
        ...lines.map((d) => `<path d="${d}" fill="none" stroke="${line}" stroke-width="1.4"/>`),
        ...dots.map(
          ({ x, y, day }) =>
            `<circle cx="${x}" cy="${y}" r="2.2" fill="${day.isPartial ? surface : line}" stroke="${line}"/>`,
        ),
      );
    }
  }
  parts.push(text(10, height - 10, made, ' font-size="9"'), '</svg>');
  return `${parts.join('\n')}\n`;
}
