/**
 * The formats that can be imported, each with its test of content. A file's name decides nothing.
 *
 * The first bytes tell the format of a file; names tell that of a ZIP, a folder, or files given together. The first format of the
 * table that recognises a source opens it, so a format with a weak test stands behind those with a strong one. To add a format: a
 * folder of its own with a light file that holds the tests, and `<format>-source.ts` with the reader, which loads when a file asks for it.
 */
import { SIGNAL_MAGIC } from '../signals/container/magic.ts';
import { isActigraph } from './actigraph/actigraph-head.ts';
import { isAppleEcg, isAppleHealth } from './apple/apple-head.ts';
import { isCwa } from './axivity/cwa.ts';
import { isBdf, isEdf } from './edf/edf-header.ts';
import { e4Sets, embraceSets, isAvroHead, isE4 } from './empatica/empatica-head.ts';
import type { ForeignFormat } from './foreign-format.ts';
import { isGeneactiv } from './geneactiv/geneactiv-head.ts';
import { isIshne, isIshneAnnotations } from './ishne/ishne-head.ts';
import { isMatrix } from './matrix/matrix-head.ts';
import { REFUSED_FORMATS } from './refused-formats.ts';
import { isRrList } from './rr-list/rr-list-head.ts';
import { TEXT_FORMATS } from './text/text-formats.ts';
import type { ImportOptions, ImportSource } from './types.ts';
import { isUnisens, isUnisensHead } from './unisens/unisens-head.ts';

/** Behind a preamble that can hold anything. */
const DICOM_MARK_AT = 128;

const ofOne =
  (open: (path: string, options: ImportOptions) => Promise<ImportSource>) =>
  (paths: string[], options: ImportOptions) =>
    open(paths[0]!, options);

export const FORMATS: readonly ForeignFormat[] = [
  {
    name: 'Outpost signal file',
    isFile: ({ bytes }) => bytes.subarray(0, SIGNAL_MAGIC.length).equals(SIGNAL_MAGIC),
    open: ofOne(async (path, options) => (await import('./signal-file-source.ts')).openOwnSignalFile(path, options)),
  },
  {
    name: 'EDF, EDF+ and BDF',
    isFile: ({ bytes }) => isEdf(bytes) || isBdf(bytes),
    open: ofOne(async (path, options) => (await import('./edf/edf-source.ts')).openEdf(path, options)),
  },
  {
    name: 'ISHNE Holter',
    isFile: ({ bytes }) => isIshne(bytes) || isIshneAnnotations(bytes),
    joinsFiles: true,
    setsIn: async (own) => (await import('./ishne/ishne-sets.ts')).ishneSets(own),
    open: async (paths, options) => (await import('./ishne/ishne-source.ts')).openIshne(paths, options),
  },
  {
    name: 'ActiGraph GT3X and AGDC',
    isSet: (names, kind) => kind === 'ZIP' && isActigraph(names),
    open: ofOne(async (path, options) =>
      (await import('./actigraph/actigraph-source.ts')).openActigraph(path, options),
    ),
  },
  ...TEXT_FORMATS,
  {
    name: 'Unisens',
    isFile: isUnisensHead,
    isSet: isUnisens,
    setsIn: async (own, all) => (await import('./unisens/unisens-files.ts')).unisensSets(own, all),
    open: async (paths, options) => (await import('./unisens/unisens-source.ts')).openUnisens(paths, options),
  },
  {
    name: 'Empatica E4',
    isSet: isE4,
    setsIn: async (_, all) => e4Sets(all),
    open: async (paths, options) => (await import('./empatica/e4-source.ts')).openEmpaticaE4(paths, options),
  },
  {
    name: 'Apple Watch ECG',
    isFile: isAppleEcg,
    isSet: (names, kind) => kind !== 'FILES' && isAppleHealth(names),
    joinsFiles: true,
    open: async (paths, options) => (await import('./apple/apple-source.ts')).openApple(paths, options),
  },
  {
    name: 'EmbracePlus Avro',
    isFile: isAvroHead,
    joinsFiles: true,
    setsIn: async (own) => embraceSets(own),
    open: async (paths, options) => (await import('./empatica/embrace-source.ts')).openEmbracePlus(paths, options),
  },
  {
    name: 'Axivity CWA',
    isFile: isCwa,
    open: ofOne(async (path, options) => (await import('./axivity/axivity-source.ts')).openAxivity(path, options)),
  },
  {
    name: 'Parmay Matrix',
    isFile: isMatrix,
    open: ofOne(async (path, options) => (await import('./matrix/matrix-source.ts')).openMatrix(path, options)),
  },
  {
    name: 'GENEActiv',
    isFile: isGeneactiv,
    open: ofOne(async (path, options) =>
      (await import('./geneactiv/geneactiv-source.ts')).openGeneactiv(path, options),
    ),
  },
  {
    name: 'HL7 aECG',
    isFile: ({ text }) => /<(?:\w+:)?AnnotatedECG[\s>]/.test(text),
    open: ofOne(async (path, options) => (await import('./resting-ecg/aecg-source.ts')).openAecg(path, options)),
  },
  {
    name: 'DICOM ECG',
    isFile: ({ bytes }) => bytes.toString('latin1', DICOM_MARK_AT, DICOM_MARK_AT + 4) === 'DICM',
    open: ofOne(async (path, options) => (await import('./resting-ecg/dicom-source.ts')).openDicom(path, options)),
  },
  ...REFUSED_FORMATS,
  {
    name: 'RR intervals (text)',
    isFile: isRrList,
    isGuess: true,
    open: ofOne(async (path, options) => (await import('./rr-list/rr-list-source.ts')).openRrList(path, options)),
  },
  {
    name: 'MC10 CSV',
    isFile: ({ text }) => /^"?timestamp \(/i.test(text),
    isSet: (names, kind) => kind === 'FOLDER' && names.some((name) => /\.csv(?:\.gz)?$/i.test(name)),
    joinsFiles: true,
    isLastResort: true,
    open: async (paths, options) => (await import('./csv/mc10-source.ts')).openMc10Csv(paths, options),
  },
  {
    // Any ZIP that nothing else recognises: its reader says what is missing.
    name: 'MC10 ZIP',
    isSet: (_, kind) => kind === 'ZIP',
    isLastResort: true,
    open: ofOne(async (path, options) => (await import('./csv/mc10-source.ts')).openMc10Zip(path, options)),
  },
];
