/** The annotation files of a WFDB record as labels. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileSize, readSmallFile } from '../source-bytes.ts';
import type { ImportedLabel } from '../types.ts';
import { isBeat, parseWfdbAnnotations, recogniseWfdbAnnotations, type WfdbAnnotation } from './wfdb-annotations.ts';
import type { WfdbHeader } from './wfdb-header.ts';

const MAX_ANNOTATION_BYTES = 64 << 20;

interface OtherFile {
  path: string;
  /** Extension without the dot: `atr`, `qrs`. */
  annotator: string;
  isGiven: boolean;
}

/** Whether a file may hold annotations of the record: it has the record's name, and the annotator as its extension. */
export const isAnnotationName = (name: string, stem: string): boolean =>
  name.startsWith(`${stem}.`) && /^[A-Za-z]\w*$/.test(name.slice(stem.length + 1));

/** Files that may hold annotations of the record: those with its name, and all that were given. */
export async function filesBeside(headerPath: string, partPaths: string[], given: string[]): Promise<OtherFile[]> {
  const folder = resolve(dirname(headerPath));
  const stem = basename(headerPath, extname(headerPath));
  const beside = (await readdir(folder))
    .filter((name) => isAnnotationName(name, stem))
    .sort()
    .map((name) => join(folder, name));
  const named = new Set(given.map((path) => resolve(path)));
  const parts = new Set([headerPath, ...partPaths].map((path) => resolve(path)));
  return [...new Set([...beside, ...named])]
    .filter((path) => !parts.has(path))
    .map((path) => ({ path, annotator: extname(path).slice(1), isGiven: named.has(path) }));
}

/** Annotator names of the WFDB software and PhysioNet; a file with such an extension must be a valid annotation file. */
const ANNOTATORS = new Set('atr ari ecg qrs pu man cor wqrs gqrs sqrs wabp ann'.split(' '));

/**
 * Reads the labels of all annotators. `parts` are the annotation files in the record's content hash: the reference annotations
 * only, so that running a detector over a record does not change its identity.
 */
export async function readAllLabels(
  others: OtherFile[],
  { header, startUs, notes }: { header: WfdbHeader; startUs: number; notes: string[] },
): Promise<{ labels: ImportedLabel[]; parts: string[] }> {
  const labels: ImportedLabel[] = [];
  const parts: string[] = [];
  for (const { path, annotator, isGiven } of others) {
    if (!(await stat(path).catch(() => null))?.isFile()) continue;
    const isReference = annotator.toLowerCase() === 'atr';
    const mustBe = ANNOTATORS.has(annotator.toLowerCase());
    const isLarge = !mustBe && (await fileSize(path)) > MAX_ANNOTATION_BYTES;
    const bytes = isLarge ? null : await readSmallFile(path, MAX_ANNOTATION_BYTES, 'list of annotations');
    const found = bytes && (mustBe ? parseWfdbAnnotations(bytes, path) : recogniseWfdbAnnotations(bytes, path));
    if (!found) {
      if (isGiven)
        notes.push(`${basename(path)} was left out: the header does not name it, and it holds no annotations.`);
      continue;
    }
    if (isReference) parts.push(path);
    for (const label of labelsOf(found, header, startUs)) {
      labels.push(isReference ? label : { ...label, displayName: `${label.displayName} (${annotator})` });
    }
  }
  return { labels, parts };
}

function labelsOf(annotations: WfdbAnnotation[], header: WfdbHeader, startUs: number): ImportedLabel[] {
  let ticksPerSecond = header.frameRateHz;
  const labels: ImportedLabel[] = [];
  for (const annotation of annotations) {
    const resolution = /^## time resolution: ([\d.]+)/.exec(annotation.auxiliary);
    if (resolution && annotation.sample === 0) {
      ticksPerSecond = Number(resolution[1]) || ticksPerSecond;
      continue;
    }
    const timeUs = Math.round(startUs + (annotation.sample / ticksPerSecond) * 1e6);
    const value = isBeat(annotation) ? annotation.symbol : annotation.auxiliary || annotation.symbol;
    labels.push({ startUs: timeUs, stopUs: timeUs, displayName: annotation.description, value });
  }
  return labels;
}
