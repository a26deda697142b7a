import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type TrayShape, trayIconPng } from './tray-icon.ts';

const SHAPES: TrayShape[] = ['ready', 'receiving', 'not-receiving'];

/** Pixels of a PNG with one IDAT and no filters. */
const pixels = (png: Buffer): { size: number; at(x: number, y: number): number[] } => {
  const size = png.readUInt32BE(16);
  const dataStart = png.indexOf('IDAT') + 4;
  const rows = inflateSync(png.subarray(dataStart, dataStart + png.readUInt32BE(dataStart - 8)));
  return { size, at: (x, y) => [...rows.subarray(y * (size * 4 + 1) + 1 + x * 4).subarray(0, 4)] };
};

test.each(SHAPES)('draws "%s" with a transparent surround at every scale', (shape) => {
  for (const wanted of [16, 20, 24, 32, 48]) {
    const { size, at } = pixels(trayIconPng(shape, wanted, false));
    expect(size).toBe(wanted);
    for (const [x, y] of [
      [0, 0],
      [size - 1, 0],
      [0, size - 1],
      [size - 1, size - 1],
    ] as const)
      expect(at(x, y)[3]).toBe(0);
    // The ring.
    expect(at(Math.floor(size / 2), Math.floor(size * 0.07))[3]).toBeGreaterThan(100);
  }
});

test('differs in shape, not by colour alone', () => {
  const silhouettes = SHAPES.map((shape) => {
    const { size, at } = pixels(trayIconPng(shape, 32, true));
    return Array.from({ length: size * size }, (_, i) => at(i % size, Math.floor(i / size)));
  });
  for (const silhouette of silhouettes) expect(silhouette.every(([red]) => red === 0)).toBe(true);
  const alphas = silhouettes.map((silhouette) => silhouette.map(([, , , alpha]) => alpha ?? 0));
  for (const [i, first] of alphas.entries()) {
    for (const second of alphas.slice(i + 1)) {
      const different = first.filter((alpha, at) => Math.abs(alpha - (second[at] ?? 0)) > 128).length;
      expect(different).toBeGreaterThan(40);
    }
  }
});
