import { existsSync } from 'node:fs';
import { OutpostError } from '../errors.ts';

/** A file or folder and, if given, where its sensor was worn. */
export interface SensorFile {
  path: string;
  location?: string;
}

/** Parses `LOCATION=FILE` or `FILE`. A path may contain `=`; a location has only capitals, digits and underscores. */
export function parseSensorFile(text: string): SensorFile {
  const [, location, path] = /^([A-Z][A-Z0-9_]*)=(.+)$/s.exec(text) ?? [];
  const sensor: SensorFile =
    location !== undefined && path !== undefined && !existsSync(text) ? { location, path } : { path: text };
  if (!existsSync(sensor.path)) {
    throw new OutpostError('NOT_FOUND', `No file or folder at ${sensor.path}. Check the path.`);
  }
  return sensor;
}
