/** Collects the licence texts of all third-party code in the application into one text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LICENCE_FILE } from './copy-packages.ts';

export interface Manifest {
  name: string;
  version: string;
  license?: string | { type?: string };
  /** The form of old packages. */
  licenses?: { type: string }[];
}

export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Permissive licences, by their SPDX names. Code under another one is not shipped without a decision. */
const PERMISSIVE = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'Unlicense',
  'BlueOak-1.0.0',
  // Of typefaces: they may be passed on with any program, and not sold alone.
  'OFL-1.1',
]);

const isPermissive = (expression: string): boolean =>
  expression
    .replace(/[()]/g, '')
    .split(/ OR /)
    .some((choice) => choice.split(/ AND /).every((name) => PERMISSIVE.has(name.trim())));

export function licenceOf({ name, license, licenses }: Manifest): string {
  const old = licenses?.map(({ type }) => type).join(' OR ');
  const expression = (typeof license === 'string' ? license : license?.type) ?? old;
  if (!expression) throw new Error(`The package ${name} names no licence.`);
  if (!isPermissive(expression))
    throw new Error(`The package ${name} is under ${expression}, which is not permissive.`);
  return expression;
}

const textsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => LICENCE_FILE.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());

const RULE = '='.repeat(80);

/**
 * Returns one page with the name, version, licence and licence texts of every package.
 * @throws Error when a package names no licence, or one that is not permissive
 */
export function thirdPartyLicences(folders: readonly string[]): string {
  const sections = folders
    .map((folder) => ({ folder, manifest: manifestOf(folder) }))
    .sort((a, b) => (`${a.manifest.name}@${a.manifest.version}` < `${b.manifest.name}@${b.manifest.version}` ? -1 : 1))
    .map(({ folder, manifest }) => {
      const texts = textsIn(folder);
      const licence = licenceOf(manifest);
      const body = texts.length > 0 ? texts.join('\n\n') : `The package contains no licence text; it names ${licence}.`;
      return `${RULE}\n${manifest.name} ${manifest.version} (${licence})\n${RULE}\n\n${body}\n`;
    });
  const head = `Outpost contains the following ${sections.length} packages of third parties.\n`;
  return [head, ...new Set(sections)].join('\n');
}
