/**
 * Answers of the site without the members that the contract lets it leave out: what a record looks like of which only the
 * necessary is known. Made from the schemas, so that a member that becomes optional is left out from then on.
 */
import type { Page } from '@playwright/test';
import type { z } from 'zod';
import { desk as en } from '../../src-renderer/shared/locales/en/desk.ts';
import { desk as ja } from '../../src-renderer/shared/locales/ja/desk.ts';
import { routes } from '../../src-server/api/contract/index.ts';

type Schema = z.core.$ZodType;

/** The same value without optional members, at every depth; `dropped` gets the name of each schema member left out. */
export function withoutOptional(schema: Schema, value: unknown, dropped: (name: string) => void = () => {}): unknown {
  if (value === null || value === undefined) return value;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object': {
      if (typeof value !== 'object') return value;
      const kept = Object.entries(value).flatMap(([name, inner]) => {
        const member = def.shape[name];
        if (!member) return [[name, inner]];
        if ((member as z.core.$ZodTypes)._zod.def.type === 'optional') {
          dropped(name);
          return [];
        }
        return [[name, withoutOptional(member, inner, dropped)]];
      });
      return Object.fromEntries(kept);
    }
    case 'array':
      return Array.isArray(value) ? value.map((item) => withoutOptional(def.element, item, dropped)) : value;
    case 'record':
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, withoutOptional(def.valueType, inner, dropped)]),
      );
    case 'nullable':
    case 'optional':
    case 'readonly':
    case 'default':
      return withoutOptional(def.innerType, value, dropped);
    case 'union': {
      const option = def.options.find((one) => (one as z.ZodType).safeParse(value).success);
      return option ? withoutOptional(option, value, dropped) : value;
    }
    default:
      return value;
  }
}

interface Answering {
  pattern: RegExp;
  schema: Schema;
}

/** The schemas of what GET requests answer as JSON, the more exact addresses first. */
const ANSWERS: readonly Answering[] = Object.values(routes)
  .flatMap((route) =>
    route.method === 'GET' && 'response' in route && route.response
      ? [{ path: route.path as string, schema: route.response as Schema }]
      : [],
  )
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
  .map(({ path, schema }) => ({
    pattern: new RegExp(`^/api/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    schema,
  }));

/** Every answer that the page gets from now on has only its necessary members; `dropped` gets the names of the others. */
export async function leaveOutOptional(page: Page, dropped: (name: string) => void): Promise<void> {
  await page.route(
    (url) => url.pathname.startsWith('/api/v1/') && !url.pathname.endsWith('/live'),
    async (route) => {
      const known = ANSWERS.find(({ pattern }) => pattern.test(new URL(route.request().url()).pathname));
      if (route.request().method() !== 'GET' || !known) return await route.fallback();
      const response = await route.fetch();
      if (!response.ok() || !response.headers()['content-type']?.startsWith('application/json'))
        return await route.fulfill({ response });
      // A page that is left or closed meanwhile, at the end of a test, takes the body with it.
      const body: unknown = await response.json().catch((thrown: unknown) => {
        if (page.isClosed() || String(thrown).includes('disposed')) return undefined;
        throw thrown;
      });
      if (body !== undefined) await route.fulfill({ response, json: withoutOptional(known.schema, body, dropped) });
    },
  );
}

/** What JavaScript shows of a value that is not there, as a word of its own. */
const LEAKS = /\b(undefined|NaN|null|Invalid Date|\[object Object\])\b|\{\{/;

/** Texts and names of a page that leak, and the error page. */
export const leaksOf = async (page: Page): Promise<string[]> => {
  const texts = await page.evaluate(() => {
    const named = [...document.querySelectorAll('[title], [aria-label], [placeholder]')].flatMap((element) =>
      ['title', 'aria-label', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
    );
    const values = [...document.querySelectorAll('input, textarea')].map((input) => (input as HTMLInputElement).value);
    const written = [...document.body.querySelectorAll(':not(script, style)')].flatMap(({ childNodes }) =>
      [...childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ nodeValue }) => nodeValue ?? ''),
    );
    return [...written, ...named, ...values];
  });
  const crashed = [en.state.crashed, ja.state.crashed];
  return texts.filter((text) => LEAKS.test(text) || crashed.includes(text));
};
