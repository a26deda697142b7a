/** Draws the icons of the phone's app from the desk's icon, by Chromium, into `src-renderer/phone/public/icons/`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { CHROMIUM_FLAGS, findChromium } from '../e2e/support/chromium.ts';

const SOURCE = new URL('../src-renderer/investigator/icon.svg', import.meta.url);
const TO = new URL('../src-renderer/phone/public/icons/', import.meta.url);

/** `scale`: a maskable icon is cut to any shape, and only its middle 80% is sure to be seen; the ground fills the rest. */
const ICONS = [
  { name: 'icon-192.png', size: 192, scale: 1, isOpaque: false },
  { name: 'icon-512.png', size: 512, scale: 1, isOpaque: false },
  { name: 'maskable-512.png', size: 512, scale: 0.72, isOpaque: true },
  // iOS rounds the corners itself and paints what is transparent black.
  { name: 'apple-touch-icon.png', size: 180, scale: 0.9, isOpaque: true },
] as const;

const svg = readFileSync(SOURCE, 'utf8');
const ground = /<rect[^>]*fill="(#\w+)"/.exec(svg)?.[1];
if (!ground) throw new Error('The icon has no ground to fill the rest with.');

const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS });
try {
  const page = await browser.newPage();
  mkdirSync(TO, { recursive: true });
  for (const { name, size, scale, isOpaque } of ICONS) {
    await page.setViewportSize({ width: size, height: size });
    const style = `body{margin:0;display:grid;place-items:center;height:100vh;background:${isOpaque ? ground : 'transparent'}}svg{width:${size * scale}px}`;
    await page.setContent(`<style>${style}</style>${svg}`);
    writeFileSync(fileURLToPath(new URL(name, TO)), await page.screenshot({ omitBackground: true }));
  }
} finally {
  await browser.close();
}
