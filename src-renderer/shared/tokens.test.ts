import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const tokens = new Map(
  [...css.matchAll(/--([\w-]+):\s*light-dark\((#[0-9a-f]{6,8}),\s*(#[0-9a-f]{6,8})\)/g)].map((m) => [
    m[1]!,
    { light: m[2]!, dark: m[3]! },
  ]),
);

/** Relative luminance, WCAG 2.2. */
function luminance(hex: string): number {
  const channel = (offset: number) => {
    const value = Number.parseInt(hex.slice(offset, offset + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(a: string, b: string): number {
  const [one, other] = [luminance(a), luminance(b)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

const grounds = ['ground', 'surface', 'surface-raised', 'surface-sunken', 'surface-hover', 'surface-selected'];
const text: [string, string][] = [
  ...['text', 'text-muted', 'text-faint'].flatMap((fore): [string, string][] =>
    grounds.map((ground) => [fore, ground]),
  ),
  ...['accent', 'good', 'warn', 'bad', 'info'].map((fore): [string, string] => [fore, 'surface']),
  ['accent', 'ground'],
  ['bad', 'ground'],
  ['accent-text', 'accent'],
  ['accent-text', 'accent-hover'],
  ['accent', 'accent-soft'],
  ['good', 'good-soft'],
  ['warn', 'warn-soft'],
  ['bad', 'bad-soft'],
  ['info', 'info-soft'],
  ['rail-text', 'rail'],
  ['rail-text', 'rail-hover'],
  ['rail-text-strong', 'rail-selected'],
];
const marks = [
  'line-strong focus sleeping lying leaning sitting standing walking running cycling moving-other worn unknown gap',
  'posture-upright posture-left posture-right posture-front posture-back task label fault',
  'heart-rate variability respiration steps',
  'trace envelope axis-x axis-y axis-z caliper quality-good quality-noisy quality-unreadable',
].flatMap((names) => names.split(' '));

describe.each(['light', 'dark'] as const)('%s theme', (theme) => {
  it.each(text)('text %s on %s reads at 4.5:1', (fore, ground) => {
    expect(contrast(tokens.get(fore)![theme], tokens.get(ground)![theme])).toBeGreaterThanOrEqual(4.5);
  });
  it.each(marks)('mark %s stands out at 3:1 on the surface', (mark) => {
    expect(contrast(tokens.get(mark)![theme], tokens.get('surface')![theme])).toBeGreaterThanOrEqual(3);
  });
});

/** Files of the renderer, without the tokens themselves and what only tests show, whose text matches a pattern. */
function filesWith(pattern: RegExp): string[] {
  const root = new URL('../', import.meta.url).pathname;
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(css|tsx?)$/.test(file) && !/tokens\.(css|test\.ts)$|\/testing\//.test(file))
    .filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));
}

it('is the only place that names a colour', () => {
  expect(filesWith(/#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/i)).toEqual([]);
});

it('is the only place that sets a stacking order, from back to front', () => {
  expect(filesWith(/z-index:(?!\s*var\(--layer-[a-z-]+\);)|zIndex/)).toEqual([]);
  const layers = [...css.matchAll(/--layer-[a-z-]+:\s*(\d+);/g)].map((match) => Number(match[1]));
  expect(layers.length).toBeGreaterThan(0);
  expect(layers).toEqual(layers.toSorted((a, b) => a - b));
});
