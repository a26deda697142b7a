/** Makes the icons of the installers in all sizes from the desk's icon, drawn by Chromium. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { CHROMIUM_FLAGS, findChromium } from '../../e2e/support/chromium.ts';

const SOURCE = fileURLToPath(new URL('../../src-renderer/investigator/icon.svg', import.meta.url));
export const ICON_SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024] as const;
type IconSize = (typeof ICON_SIZES)[number];
type Drawn = Record<IconSize, Buffer>;

/** Windows shows up to 256 pixels. */
const ICO_SIZES: readonly IconSize[] = [16, 24, 32, 48, 64, 128, 256];
/** Apple's types of PNG images; those for dense screens have the pixels of the next size. */
const ICNS_TYPES: readonly [string, IconSize][] = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic11', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic13', 256],
  ['ic08', 256],
  ['ic14', 512],
  ['ic09', 512],
  ['ic10', 1024],
];

async function drawn(): Promise<Drawn> {
  const svg = readFileSync(SOURCE, 'utf8');
  const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS });
  try {
    const page = await browser.newPage();
    const pictures: Partial<Drawn> = {};
    for (const size of ICON_SIZES) {
      await page.setViewportSize({ width: size, height: size });
      await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
      pictures[size] = await page.screenshot({ omitBackground: true });
    }
    return pictures as Drawn;
  } finally {
    await browser.close();
  }
}

/** An .ico file of PNG images. */
function ico(pictures: Drawn): Buffer {
  const header = Buffer.alloc(6 + 16 * ICO_SIZES.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(ICO_SIZES.length, 4);
  let offset = header.length;
  for (const [index, size] of ICO_SIZES.entries()) {
    const at = 6 + 16 * index;
    // 256 is written as 0.
    header.writeUInt8(size % 256, at);
    header.writeUInt8(size % 256, at + 1);
    header.writeUInt16LE(1, at + 4);
    header.writeUInt16LE(32, at + 6);
    header.writeUInt32LE(pictures[size].length, at + 8);
    header.writeUInt32LE(offset, at + 12);
    offset += pictures[size].length;
  }
  return Buffer.concat([header, ...ICO_SIZES.map((size) => pictures[size])]);
}

/** An .icns file of PNG images. */
function icns(pictures: Drawn): Buffer {
  const part = (type: string, data: Buffer) => {
    const header = Buffer.from(`${type}....`, 'latin1');
    header.writeUInt32BE(data.length + 8, 4);
    return Buffer.concat([header, data]);
  };
  return part('icns', Buffer.concat(ICNS_TYPES.map(([type, size]) => part(type, pictures[size]))));
}

/** Writes outpost.ico, outpost.icns and png/<size>x<size>.png into a folder. */
export async function makeIcons(to: string): Promise<void> {
  const pictures = await drawn();
  mkdirSync(join(to, 'png'), { recursive: true });
  for (const size of ICON_SIZES) writeFileSync(join(to, 'png', `${size}x${size}.png`), pictures[size]);
  writeFileSync(join(to, 'outpost.ico'), ico(pictures));
  writeFileSync(join(to, 'outpost.icns'), icns(pictures));
}
