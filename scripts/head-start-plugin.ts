/**
 * Writes the head start of the desk into its page: a small script that asks for everything the screen in the address needs
 * while the browser still reads the frame. Only the build knows which files those are.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import type { Plugin, Rolldown } from 'vite';
import { HEAD_START_SCREENS } from '../src-renderer/investigator/head-start/screens.ts';
import type { HeadStartFiles } from '../src-renderer/investigator/head-start/start.ts';
import { AHEAD_MEMBER } from '../src-renderer/shared/api/ahead.ts';
import { LANGUAGES } from '../src-renderer/shared/i18n/languages.ts';

const START = new URL('../src-renderer/investigator/head-start/start.ts', import.meta.url);
/** Where `session.ts` and `preferences.ts` of the desk store what the head start reads. A test compares them. */
export const STORAGE_KEYS = { session: 'outpost.session', preferences: 'outpost.preferences', ahead: AHEAD_MEMBER };

type Bundle = Rolldown.OutputBundle;

/** Files of a module and all that it imports, without those that the page itself asks for. @throws Error when no chunk has it */
function filesOf(bundle: Bundle, module: string, inPage: ReadonlySet<string>): { scripts: string[]; styles: string[] } {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const home = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/src-renderer/${module}`)));
  if (!home) throw new Error(`The head start names ${module}, which is not in the built desk.`);
  // The chunk that an import() names may only pass on what stands in another one.
  const entries = chunks.filter(
    ({ fileName, facadeModuleId }) => fileName === home.fileName || facadeModuleId?.endsWith(`/src-renderer/${module}`),
  );
  const scripts = new Set<string>();
  const styles = new Set<string>();
  const add = (fileName: string): void => {
    const chunk = bundle[fileName];
    if (chunk?.type !== 'chunk' || scripts.has(fileName) || inPage.has(fileName)) return;
    scripts.add(fileName);
    for (const style of chunk.viteMetadata?.importedCss ?? []) if (!inPage.has(style)) styles.add(style);
    for (const imported of chunk.imports) add(imported);
  };
  for (const { fileName } of entries) add(fileName);
  return { scripts: [...scripts], styles: [...styles] };
}

const address = (file: string) => `/${file}`;

function headStartScript(bundle: Bundle, page: string): string {
  const inPage = new Set(Object.keys(bundle).filter((file) => page.includes(`/${file}"`)));
  const textsOf = (areas: readonly string[]) =>
    Object.fromEntries(
      LANGUAGES.map((language) => {
        const files = areas.flatMap((area) => {
          const file = area.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
          return filesOf(bundle, `shared/locales/${language}/${file}.ts`, inPage).scripts;
        });
        return [language, [...new Set(files)].map(address)];
      }),
    );
  const screens = HEAD_START_SCREENS.map(({ path, modules, areas, requests }): HeadStartFiles => {
    const files = modules.map((module) => filesOf(bundle, `investigator/${module}`, inPage));
    return {
      path,
      requests,
      scripts: [...new Set(files.flatMap(({ scripts }) => scripts))].map(address),
      styles: [...new Set(files.flatMap(({ styles }) => styles))].map(address),
      texts: textsOf(areas),
    };
  });
  const code = stripTypeScriptTypes(readFileSync(START, 'utf8'), { mode: 'strip' })
    .replace(/^import .*$/gm, '')
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
    .replace('export function', 'function')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/[ \t]{2,}/g, ' ')
    .trim();
  const values = [screens, textsOf(['desk']), STORAGE_KEYS].map((value) => JSON.stringify(value)).join(',');
  return `(()=>{${code}\nstartAhead(${values})})();`;
}

export function headStart(): Plugin {
  return {
    name: 'outpost:head-start',
    enforce: 'post',
    apply: 'build',
    generateBundle(_, bundle) {
      const page = Object.values(bundle).find((output) => output.fileName.endsWith('index.html'));
      if (page?.type !== 'asset') return;
      const html = String(page.source);
      const source = headStartScript(bundle, html);
      const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
      const fileName = `assets/head-start-${hash}.js`;
      this.emitFile({ type: 'asset', fileName, source });
      page.source = html.replace(
        '<script type="module"',
        `<script async src="/${fileName}"></script>\n    <script type="module"`,
      );
    },
  };
}
