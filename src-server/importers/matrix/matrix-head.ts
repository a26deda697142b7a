/** Recognises a recording of the Parmay Matrix: its mark stands behind half a kilobyte of remarks. */
import type { FileHead } from '../foreign-format.ts';

export const REMARK_BYTES = 512;
const MARK = 'MDTC';

export const isMatrix = ({ bytes }: FileHead): boolean =>
  bytes.length >= REMARK_BYTES + MARK.length &&
  bytes.toString('latin1', REMARK_BYTES, REMARK_BYTES + MARK.length) === MARK;
