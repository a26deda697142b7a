/**
 * Formats that are known and not read: a file of theirs is named, and the refusal says what to do instead. The code is `UNSUPPORTED_FORMAT`,
 * with the format in `details.format`.
 */
import { basename } from 'node:path';
import { OutpostError } from '../errors.ts';
import type { FileHead, ForeignFormat } from './foreign-format.ts';

type RefusedFormatCode = 'ACTIGRAPH_AGD' | 'SCP_ECG' | 'MOVESENSE_SBEM' | 'SHIMMER_SD_LOG';

const SCP_MARK_AT = 16;
const SD_LOG_HEADER_BYTES = 256;
/** Shimmer3 and Shimmer3R. */
const SD_LOG_DEVICES = [3, 10];
/** SDLog and LogAndStream. */
const SD_LOG_FIRMWARES = [2, 3];
const SD_LOG_CLOCK_HZ = 32_768;
const MOST_RATE_HZ = 32_768 / 4;

const textAt = ({ bytes }: FileHead, at: number, length: number): string =>
  bytes.subarray(at, at + length).toString('latin1');

/** The header has no mark: device, firmware and rate have to be those of the sensor, in binary. */
function isShimmerSdLog({ bytes, sizeBytes }: FileHead): boolean {
  if (bytes.length < SD_LOG_HEADER_BYTES || sizeBytes <= SD_LOG_HEADER_BYTES) return false;
  const rateHz = SD_LOG_CLOCK_HZ / bytes.readUInt16LE(0);
  return (
    SD_LOG_DEVICES.includes(bytes.readUInt16BE(30)) &&
    SD_LOG_FIRMWARES.includes(bytes.readUInt16BE(34)) &&
    bytes.readUIntBE(24, 6) !== 0 &&
    rateHz >= 1 &&
    rateHz <= MOST_RATE_HZ
  );
}

interface RefusedFormat {
  code: RefusedFormatCode;
  name: string;
  isFile(head: FileHead): boolean;
  /** What to do instead: a sentence. */
  advice: string;
}

/** A database of ActiLife: its first page holds the definitions of its tables. */
const isAgd = (head: FileHead): boolean =>
  textAt(head, 0, 16) === 'SQLite format 3\0' && /dataTimestamp/i.test(textAt(head, 0, head.bytes.length));

const REFUSED: readonly RefusedFormat[] = [
  {
    code: 'ACTIGRAPH_AGD',
    name: 'ActiGraph AGD',
    isFile: isAgd,
    advice:
      'It is a file of ActiLife with counts per epoch, which hold no acceleration. Import the .gt3x file of the recording; counts are computed from it.',
  },
  {
    code: 'SCP_ECG',
    name: 'SCP-ECG',
    isFile: (head) => textAt(head, SCP_MARK_AT, 6) === 'SCPECG',
    advice:
      'It is an SCP-ECG file, whose compression is not read. Export the ECG as DICOM or HL7 aECG, or a recording over hours as EDF.',
  },
  {
    code: 'MOVESENSE_SBEM',
    name: 'Movesense SBEM',
    isFile: (head) => textAt(head, 0, 4) === 'SBEM',
    advice: 'It is a log of a Movesense sensor in its own form. Convert it with sbem2json, then import the JSON file.',
  },
  {
    code: 'SHIMMER_SD_LOG',
    name: 'Shimmer SD log',
    isFile: isShimmerSdLog,
    advice:
      'It is the log of a Shimmer sensor from its SD card, whose calibration Consensys keeps. Open it there, export calibrated data as CSV, then import that file.',
  },
];

export const REFUSED_FORMATS: readonly ForeignFormat[] = REFUSED.map(({ code, name, isFile, advice }) => ({
  name,
  isFile,
  isRefused: true,
  open: async ([path = '']) => {
    const fileName = basename(path);
    throw new OutpostError('UNSUPPORTED_FORMAT', `${fileName} cannot be imported. ${advice}`, {
      details: { fileName, format: code },
    });
  },
}));
