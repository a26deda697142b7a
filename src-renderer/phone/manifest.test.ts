import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const file = (path: string) => readFileSync(new URL(`./public/${path}`, import.meta.url));

interface Manifest {
  name: string;
  start_url: string;
  scope: string;
  display: string;
  icons: { src: string; sizes: string; type: string; purpose?: string }[];
}

it('names icons that exist, in the sizes that installing needs', () => {
  const manifest = JSON.parse(file('manifest.webmanifest').toString()) as Manifest;
  expect(manifest).toMatchObject({ name: 'Outpost', start_url: '/phone/', scope: '/phone/', display: 'standalone' });
  const pngs = manifest.icons.filter(({ type }) => type === 'image/png');
  for (const { src, sizes } of pngs) {
    const bytes = file(src);
    expect(bytes.toString('latin1', 1, 4)).toBe('PNG');
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes);
  }
  expect(pngs.map(({ sizes, purpose }) => [sizes, purpose])).toEqual([
    ['192x192', undefined],
    ['512x512', undefined],
    ['512x512', 'maskable'],
  ]);
});

it('shows the icon of the desk', () => {
  expect(file('icon.svg')).toEqual(readFileSync(new URL('../investigator/icon.svg', import.meta.url)));
});
