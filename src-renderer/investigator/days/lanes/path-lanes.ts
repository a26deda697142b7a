/** Data stages of each sensor over a day: one lane for each sensor whose data is not analysed completely. */
import type { CoverageDay } from '../../../../src-server/api/contract/index.ts';
import { type Band, bandAt, holes } from '../../../shared/charts/bands.ts';
import { drawBands } from '../../../shared/charts/draw.ts';
import type { Category } from '../../../shared/charts/pattern.ts';
import type { Lane } from '../../../shared/charts/timeline/types.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import { sensorNameIn } from '../../recordings/sensor-words.ts';

type SensorDay = CoverageDay['sensors'][number];
export type PathState = SensorDay['states'][number]['state'];

export const PATH_CATEGORIES: Record<PathState, Category> = {
  ON_SENSOR: 'path-sensor',
  ON_HUB: 'path-hub',
  RECEIVING: 'path-arriving',
  RECEIVED: 'path-arriving',
  QUARANTINED: 'path-decide',
  VERIFIED: 'path-verified',
  ANALYSED: 'path-analysed',
  REJECTED: 'path-rejected',
};

/** Precedence of states where recordings of a sensor overlap: the furthest stage first, rejected last. */
const FURTHEST_FIRST: readonly PathState[] = [
  'ANALYSED',
  'VERIFIED',
  'RECEIVED',
  'RECEIVING',
  'QUARANTINED',
  'ON_HUB',
  'ON_SENSOR',
  'REJECTED',
];

export interface SensorPath {
  sensorId: string;
  displayName: string;
  bands: Band<PathState>[];
}

/** Returns the data stages of every sensor over several days as bands that do not overlap. Pure. */
export function sensorPaths(days: readonly CoverageDay[]): SensorPath[] {
  const sensors = Map.groupBy(
    days.flatMap(({ sensors }) => sensors),
    ({ sensorId }) => sensorId,
  );
  return [...sensors].map(([sensorId, parts]) => {
    const spans = (state: PathState) =>
      parts.flatMap(({ states }) =>
        states
          .filter((entry) => entry.state === state)
          .flatMap((entry) => entry.spans.map(({ startTs, stopTs }) => ({ startMs: startTs, stopMs: stopTs }))),
      );
    const taken: Band<PathState>[] = [];
    for (const state of FURTHEST_FIRST) {
      const free = spans(state).flatMap(({ startMs, stopMs }) => holes(taken, startMs, stopMs));
      taken.push(...free.map((span) => ({ ...span, value: state })));
    }
    return { sensorId, displayName: parts[0]?.displayName ?? sensorId, bands: joined(taken) };
  });
}

/** Joins neighbouring bands of one state: a recording across midnight belongs to two days. */
function joined(bands: readonly Band<PathState>[]): Band<PathState>[] {
  const found: Band<PathState>[] = [];
  for (const band of [...bands].sort((a, b) => a.startMs - b.startMs)) {
    const last = found.at(-1);
    if (last && last.value === band.value && last.stopMs === band.startMs) last.stopMs = band.stopMs;
    else found.push({ ...band });
  }
  return found;
}

const HEIGHT_PX = 34;
const LEVEL = 0.7;

/** Skips sensors whose data in the view is all analysed, because the other lanes show it. */
export function pathLanes(
  paths: readonly SensorPath[],
  view: { startMs: number; stopMs: number },
  t: Translate,
): Lane[] {
  return paths.flatMap(({ sensorId, bands, ...sensor }) => {
    const displayName = sensorNameIn(sensor.displayName, t);
    const shown = bands.filter((band) => band.stopMs > view.startMs && band.startMs < view.stopMs);
    if (shown.every(({ value }) => value === 'ANALYSED')) return [];
    const words = (value: PathState) => t(`coverage.states.${value}`);
    return [
      {
        id: `path ${sensorId}`,
        label: t('lanes.dataStageOf', { name: displayName }),
        help: t('lanes.dataStageHelp', { name: displayName }),
        heightPx: HEIGHT_PX,
        read: (ms) => {
          const band = bandAt(shown, ms);
          return band ? words(band.value) : t('coverage.none');
        },
        draw(context, scale, heightPx, colors) {
          drawBands(
            context,
            shown,
            (value) => ({ category: PATH_CATEGORIES[value], label: words(value), level: LEVEL }),
            scale,
            heightPx,
            colors,
          );
        },
      },
    ];
  });
}
