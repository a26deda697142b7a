/** The formats of text files, for the table of `formats.ts`. */
import type { ForeignFormat } from '../foreign-format.ts';
import { isMovesenseLog, isMovesenseText } from '../movesense/movesense-head.ts';
import { isPolarFile, isPolarFolder } from '../polar-sensor-logger/polar-columns.ts';
import { isShimmer } from '../shimmer/shimmer-head.ts';

export const TEXT_FORMATS: readonly ForeignFormat[] = [
  {
    name: 'Polar Sensor Logger',
    isFile: isPolarFile,
    isSet: (names, kind) => kind === 'FOLDER' && isPolarFolder(names),
    joinsFiles: true,
    setsIn: async (own) => (await import('../polar-sensor-logger/polar-sessions.ts')).polarSets(own),
    open: async (paths, options) =>
      (await import('../polar-sensor-logger/polar-sensor-logger-source.ts')).openPolarSensorLogger(paths, options),
  },
  {
    name: 'Movesense CSV and JSON',
    isFile: (head) => isMovesenseText(head) || isMovesenseLog(head),
    joinsFiles: true,
    setsIn: async (own) => (await import('../movesense/movesense-sets.ts')).movesenseSets(own),
    open: async (paths, options) => (await import('../movesense/movesense-source.ts')).openMovesense(paths, options),
  },
  {
    name: 'Shimmer CSV',
    isFile: isShimmer,
    open: async (paths, options) => (await import('../shimmer/shimmer-source.ts')).openShimmer(paths[0]!, options),
  },
];
