import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MANUAL, quotesOf } from './tasks.ts';

const LOCALES = new URL('../../shared/locales/', import.meta.url);
/** Names of keys are the same in both languages. */
const KEYS = new Set(['Ctrl+K', 'Enter', 'Escape', '?']);

type Texts = { [key: string]: string | Texts };

function flat(texts: Texts, path: string): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}.${key}`, value] as [string, string]] : flat(value, `${path}.${key}`),
  );
}

async function textsIn(language: 'en' | 'ja'): Promise<Map<string, string>> {
  const folder = new URL(`${language}/`, LOCALES);
  const modules = await Promise.all(
    readdirSync(folder).map(async (name) => (await import(new URL(name, folder).href)) as Record<string, Texts>),
  );
  const areas = modules.flatMap((module) => Object.entries(module));
  return new Map(areas.flatMap(([area, texts]) => (typeof texts === 'object' ? flat(texts, area) : [])));
}

const [english, japanese] = await Promise.all([textsIn('en'), textsIn('ja')]);

describe('the manual', () => {
  const translationsOf = (name: string) =>
    [...english].filter(([, text]) => text === name).map(([key]) => japanese.get(key));

  it('has 20 tasks with names of their own', () => {
    expect(MANUAL).toHaveLength(20);
    expect(new Set(MANUAL.map(({ id }) => id)).size).toBe(20);
  });

  it.each(MANUAL.flatMap(({ steps }) => steps.map((step) => [step.en, step] as const)))(
    'quotes controls of the desk: %s',
    (_, { en, ja, action, example }) => {
      const [names, namesInJapanese] = [quotesOf(en), quotesOf(ja)];
      expect(names).toHaveLength(1);
      expect(namesInJapanese).toHaveLength(1);
      expect(example !== undefined, 'an example where something is typed or chosen').toBe(
        action === 'type' || action === 'choose',
      );
      const [name = ''] = names;
      if (KEYS.has(name)) expect(namesInJapanese).toEqual(names);
      else expect(translationsOf(name)).toContain(namesInJapanese[0]);
    },
  );
});
