/** The tray's icons, drawn in code: a ring with a dot, an arrow or a bar, which differ in shape and not by colour alone. */
import { crc32, deflateSync } from 'node:zlib';

export type TrayShape = 'ready' | 'receiving' | 'not-receiving';

/** Between the accents of the light and the dark desk, so that it shows on task bars of both kinds. */
const COLOUR: Record<TrayShape, [red: number, green: number, blue: number]> = {
  ready: [43, 160, 160],
  receiving: [43, 160, 160],
  'not-receiving': [145, 150, 155],
};
const BLACK: [number, number, number] = [0, 0, 0];

/** Points per pixel and axis at which a shape is sampled, for smooth edges. */
const SAMPLES = 4;

/** Whether a point belongs to the shape; the icon spans -1 to 1, y downwards. */
const covers = (shape: TrayShape, x: number, y: number): boolean => {
  const radius = Math.hypot(x, y);
  if (radius > 0.98) return false;
  if (radius > 0.74) return true;
  if (shape === 'ready') return radius < 0.34;
  if (shape === 'not-receiving') return Math.abs(x - y) < 0.2;
  const isShaft = Math.abs(x) < 0.15 && y > -0.52 && y < 0.1;
  const isHead = y >= -0.02 && y < 0.52 && Math.abs(x) < 0.52 - y;
  return isShaft || isHead;
};

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
};

/** Returns a PNG (8 bits, RGBA) of size x size pixels. */
const png = (size: number, rgba: Buffer): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const rows = Buffer.alloc(size * (size * 4 + 1));
  for (let y = 0; y < size; y++) rgba.copy(rows, y * (size * 4 + 1) + 1, y * size * 4, (y + 1) * size * 4);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
};

/**
 * Draws an icon as a PNG.
 *
 * @param size in pixels
 * @param isTemplate black, for the menu bar of macOS, which colours it itself
 */
export const trayIconPng = (shape: TrayShape, size: number, isTemplate: boolean): Buffer => {
  const [red, green, blue] = isTemplate ? BLACK : COLOUR[shape];
  const rgba = Buffer.alloc(size * size * 4);
  const fine = size * SAMPLES;
  const at = (sample: number) => ((sample + 0.5) / fine) * 2 - 1;
  for (let pixel = 0; pixel < size * size; pixel++) {
    let covered = 0;
    for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
      const x = (pixel % size) * SAMPLES + (sample % SAMPLES);
      const y = Math.floor(pixel / size) * SAMPLES + Math.floor(sample / SAMPLES);
      if (covers(shape, at(x), at(y))) covered++;
    }
    rgba.set([red, green, blue, Math.round((255 * covered) / SAMPLES ** 2)], pixel * 4);
  }
  return png(size, rgba);
};
