import { existsSync } from 'node:fs';
import { OutpostError } from '../errors.ts';

/** A file or folder and, if given, where its sensor was worn. */
export interface SensorFile {
  path: string;
  location?: string;
}

/** Parses `LOCATION=FILE` or `FILE`. A path may contain `=`; a location has only capitals, digits and underscores. */
export function parseSensorFile(text: string): SensorFile {
  const match = /^([A-Z][A-Z0-9_]*)=(.+)$/s.exec(text);
  const sensor = match && !existsSync(text) ? { location: match[1], path: match[2] } : { path: text };
  if (!existsSync(sensor.path)) {
    throw new OutpostError('NOT_FOUND', `No file or folder at ${sensor.path}. Check the path.`);
  }
  return sensor;
}
