/** A PDF as a printer sees it: pages rendered to grey pixels, and their text, by poppler's own programs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MM_PER_INCH = 25.4;

/** Whether PDFs can be measured: pdftoppm is in the Debian package poppler-utils. */
export const hasPoppler = spawnSync('pdftoppm', ['-v']).status === 0;

/** Lengths on a page are millimetres from its top left corner. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export class RenderedPage {
  readonly #topPx: number;
  readonly #widthPx: number;
  readonly #pixels: Buffer;
  readonly #pxPerMm: number;

  /**
   * @param pgm a binary grey map, as pdftoppm writes it
   * @param topPx where on the page it begins
   */
  constructor(pgm: Buffer, dpi: number, topPx: number) {
    const header = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(pgm.subarray(0, 64).toString('latin1'));
    if (!header) throw new Error('pdftoppm did not write a grey map of 8 bits.');
    this.#widthPx = Number(header[1]);
    this.#topPx = topPx;
    this.#pixels = pgm.subarray(header[0].length);
    this.#pxPerMm = dpi / MM_PER_INCH;
  }

  /** Middles, mm, of the lines that cross a box upright (or lying): where more than half of their length is that dark. */
  lines(box: Box, direction: 'upright' | 'lying', darkest: number, lightest: number): number[] {
    const px = (mm: number) => Math.round(mm * this.#pxPerMm);
    const [left, right, top, bottom] = [px(box.left), px(box.right), px(box.top), px(box.bottom)];
    const isUpright = direction === 'upright';
    const [from, to, low, high] = isUpright ? [left, right, top, bottom] : [top, bottom, left, right];
    const found: number[] = [];
    let start = -1;
    for (let at = from; at <= to; at++) {
      let count = 0;
      for (let along = low; along < high; along++) {
        const grey = isUpright ? this.#grey(at, along) : this.#grey(along, at);
        if (grey >= darkest && grey <= lightest) count++;
      }
      const isLine = at < to && count > (high - low) / 2;
      if (isLine && start < 0) start = at;
      if (!isLine && start >= 0) {
        found.push((start + at) / 2 / this.#pxPerMm);
        start = -1;
      }
    }
    return found;
  }

  /** White outside the map. */
  #grey(x: number, y: number): number {
    return this.#pixels[(y - this.#topPx) * this.#widthPx + x] ?? 255;
  }
}

export class RenderedPdf {
  readonly #dir = mkdtempSync(join(tmpdir(), 'outpost-pdf-'));
  readonly #path = join(this.#dir, 'page.pdf');

  constructor(pdf: Buffer) {
    writeFileSync(this.#path, pdf);
  }

  /**
   * Renders a page as wide as it is, from one height to another, mm.
   * @param number from 1
   */
  page(number: number, dpi: number, { top, bottom }: Pick<Box, 'top' | 'bottom'>): RenderedPage {
    const name = join(this.#dir, 'page');
    const px = (mm: number) => Math.round((mm * dpi) / MM_PER_INCH);
    const which = ['-f', String(number), '-l', String(number)];
    const part = ['-y', String(px(top)), '-H', String(px(bottom) - px(top))];
    execFileSync('pdftoppm', ['-r', String(dpi), '-gray', '-singlefile', ...which, ...part, this.#path, name]);
    return new RenderedPage(readFileSync(`${name}.pgm`), dpi, px(top));
  }

  /** Width and height of every page, mm. */
  sizes(): [number, number][] {
    const text = execFileSync('pdfinfo', ['-f', '1', '-l', '-1', this.#path], { encoding: 'utf8' });
    return [...text.matchAll(/^Page +\d+ size: +([\d.]+) x ([\d.]+) pts/gm)].map(([, width, height]) => [
      (Number(width) / 72) * MM_PER_INCH,
      (Number(height) / 72) * MM_PER_INCH,
    ]);
  }

  /** Text of each page. */
  texts(): string[] {
    const text = execFileSync('pdftotext', ['-layout', '-enc', 'UTF-8', this.#path, '-'], { encoding: 'utf8' });
    return text.split('\f').slice(0, -1);
  }

  /** Words of each page and where they stand. */
  words(): (Box & { text: string })[][] {
    const text = execFileSync('pdftotext', ['-bbox', '-enc', 'UTF-8', this.#path, '-'], { encoding: 'utf8' });
    const mm = (points = '') => (Number(points) / 72) * MM_PER_INCH;
    return text
      .split('<page ')
      .slice(1)
      .map((page) =>
        [
          ...page.matchAll(/<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)<\/word>/g),
        ].map(([, left, top, right, bottom, word = '']) => ({
          ...{ left: mm(left), top: mm(top), right: mm(right), bottom: mm(bottom) },
          text: word,
        })),
      );
  }

  /** Names of the pictures of dots in it: none where everything is lines and letters. */
  images(): string[] {
    return execFileSync('pdfimages', ['-list', this.#path], { encoding: 'utf8' }).trim().split('\n').slice(2);
  }

  remove(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
