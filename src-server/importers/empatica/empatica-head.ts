/** Recognises the files of Empatica's two watches. */
import type { FileBeside, FileHead, FoundSet } from '../foreign-format.ts';

/** First bytes of an Avro object container. */
export const AVRO_MAGIC = Buffer.from('Obj\x01', 'latin1');

export const isAvro = (head: Buffer): boolean => head.subarray(0, AVRO_MAGIC.length).equals(AVRO_MAGIC);

export const isAvroHead = ({ bytes }: FileHead): boolean => isAvro(bytes);

const E4_FILES = new Set('acc.csv bvp.csv eda.csv temp.csv hr.csv ibi.csv tags.csv info.txt'.split(' '));

/**
 * The members of an E4 session: acceleration and at least one of the signals that only this watch exports so. A ZIP that was cut off
 * may have lost either, but has nothing else.
 */
export function isE4(names: readonly string[]): boolean {
  const files = new Set(names.map((name) => name.slice(name.lastIndexOf('/') + 1).toLowerCase()));
  const hasSignal = files.has('acc.csv') || files.has('bvp.csv') || files.has('eda.csv');
  const isWhole = files.has('acc.csv') && (files.has('bvp.csv') || files.has('eda.csv'));
  return isWhole || (hasSignal && [...files].every((file) => E4_FILES.has(file)));
}

/** One folder is one session: the names of its files are the same in every session. */
export function e4Sets(all: readonly FileBeside[]): FoundSet[] {
  const names = all.map(({ name }) => name);
  if (!isE4(names)) return [];
  const files = names.filter((name) => E4_FILES.has(name.toLowerCase()));
  return [{ name: 'Empatica E4', files, missing: [], isWhole: true }];
}

/** `1-1-012_1700000000.avro`: participant of the study at the maker, and start. */
const EMBRACE_FILE = /^(.+)_\d{9,11}\.avro$/i;

/** The files of one participant in a folder are one recording. A name that says nothing of that is a recording alone. */
export function embraceSets(own: readonly FileBeside[]): FoundSet[] {
  const sets = Map.groupBy(own, ({ name }) => EMBRACE_FILE.exec(name)?.[1] ?? name);
  return [...sets].map(([name, files]) => ({
    name,
    files: files.map((file) => file.name),
    missing: [],
    isWhole: false,
  }));
}
