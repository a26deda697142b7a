import { existsSync } from 'node:fs';
import { OutpostError } from '../errors.ts';

/** A file or folder and, when given, where its sensor was worn. */
export interface SensorFile {
  path: string;
  location?: string;
}

/** Reads `LOCATION=FILE` or `FILE`. A path may hold `=` itself: a location is capitals and underscores. */
export function parseSensorFile(text: string): SensorFile {
  const match = /^([A-Z][A-Z0-9_]*)=(.+)$/s.exec(text);
  const sensor = match && !existsSync(text) ? { location: match[1], path: match[2] } : { path: text };
  if (!existsSync(sensor.path)) {
    throw new OutpostError('NOT_FOUND', `There is no file or folder ${sensor.path}. Check its path.`);
  }
  return sensor;
}
