/** Browsers that have fetched the desk's typeface before, so that its pages use it from their start. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from '@playwright/test';

const ASSETS = fileURLToPath(new URL('../../out/renderer/assets/', import.meta.url));

/** Its address on a site with the built desk. */
export function typefaceUrl(): string {
  const name = readdirSync(ASSETS).find((file) => file.endsWith('.woff2'));
  if (!name) throw new Error('The built desk has no typeface. Run "npm run build" first.');
  return `/assets/${name}`;
}

/** Takes effect on the next page that opens. */
export async function keepTypeface(browser: BrowserContext | Page): Promise<void> {
  await browser.addInitScript((url) => localStorage.setItem('outpost.typeface', url), typefaceUrl());
}
