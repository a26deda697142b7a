/** A chart as SVG in true size: one of its units is a CSS pixel of the paper, 25.4 / 96 mm. */
import { useMemo } from 'react';
import { type Draw, swatchOf } from '../../../shared/charts/canvas.tsx';
import type { Category } from '../../../shared/charts/pattern.ts';
import styles from '../paper.module.css';
import { recordShapes, type Shape } from './vector-surface.ts';

function ShapeElement({ shape }: { shape: Shape }) {
  if (shape.kind === 'text')
    return (
      <text x={shape.x} y={shape.y} dominantBaseline="central" style={{ fill: shape.fill, font: shape.font }}>
        {shape.text}
      </text>
    );
  const { d, fill, stroke, widthPx, opacity, isRound } = shape;
  return (
    <path
      d={d}
      strokeWidth={widthPx}
      opacity={opacity}
      strokeLinecap={isRound ? 'round' : 'butt'}
      strokeLinejoin="round"
      style={{ fill, stroke }}
    />
  );
}

/** @param label spoken in place of the picture; without one, the text beside it says the same */
export function Picture({
  draw,
  widthPx,
  heightPx,
  label,
}: {
  draw: Draw;
  widthPx: number;
  heightPx: number;
  label?: string;
}) {
  const shapes = useMemo(() => recordShapes(draw, widthPx, heightPx), [draw, widthPx, heightPx]);
  // Whole CSS pixels, so that the browser does not stretch the picture to them.
  const [width, height] = [Math.ceil(widthPx), Math.ceil(heightPx)];
  const size = { width, height, viewBox: `0 0 ${width} ${height}`, className: styles.picture };
  // biome-ignore lint/suspicious/noArrayIndexKey: shapes have no other identity, and change all together
  const content = shapes.map((shape, index) => <ShapeElement key={index} shape={shape} />);
  return label ? (
    <svg {...size} role="img" aria-label={label}>
      {content}
    </svg>
  ) : (
    <svg {...size} aria-hidden="true">
      {content}
    </svg>
  );
}

export const PaperSwatch = ({ category }: { category: Category }) => (
  <Picture draw={swatchOf(category)} widthPx={20} heightPx={12} />
);
