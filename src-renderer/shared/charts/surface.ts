/**
 * What charts draw on: a canvas, or a recorder of the same calls that makes vector paths of them, for paper. Both take CSS pixels.
 */
import type { Category } from './palette.ts';

type Drawing = Pick<
  CanvasRenderingContext2D,
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'lineJoin'
  | 'font'
  | 'textBaseline'
  | 'fillRect'
  | 'strokeRect'
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'closePath'
  | 'roundRect'
  | 'fill'
  | 'stroke'
  | 'fillText'
  | 'measureText'
  | 'translate'
>;

/** A surface without pixels, on which a pattern of pixels has no meaning. */
export interface VectorSurface extends Drawing {
  /** Returns a fill style that stands for the colour and the pattern of a category. */
  patternOf(category: Category): string;
}

export type Surface = VectorSurface | (Drawing & Pick<CanvasRenderingContext2D, 'getTransform' | 'createPattern'>);
