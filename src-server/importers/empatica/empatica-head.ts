/** Recognises the files of Empatica's two watches. */
import type { FileHead } from '../foreign-format.ts';

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
