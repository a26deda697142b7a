/** The lanes of the detail strip: channels of the recording, and of other sensors with overlapping recordings. */
import { useQueries } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Recording, RecordingOverview } from '../../../src-server/api/contract/index.ts';
import { foreignChannelType, holdsIntervals } from '../../../src-server/vocabulary/channels.ts';
import { recordingOverviewQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { preferences } from '../../shared/preferences.ts';
import { useStore } from '../../shared/store.ts';
import { usePlacement } from '../recordings/sensor-words.ts';
import { writtenUnit } from './data/channel-unit.ts';
import type { ViewerModel } from './data/model.ts';
import { overlappingRecordings } from './data/overlap.ts';
import { isElectric } from './data/samples.ts';
import type { Sensor } from './data/sensor.ts';
import type { SignalLane } from './drawing/lanes.ts';

const MOTION_PX = 84;
/** Motion lanes are higher where there is no ECG above them. */
const MOTION_ALONE_PX = 150;
const LOW_WINDOW_PX = 760;
export const LABELS_LANE = 'labels';
const HEART_LANES = { ECG: 'viewer.ecgMv', RR: 'viewer.rrMs', PPI: 'viewer.ppiMs' } as const;

/** True once the recording's own samples have arrived for the first time. */
export function useHasShown(model: ViewerModel): boolean {
  const [hasShown, setShown] = useState(false);
  useEffect(() => {
    const check = () => {
      if (!model.isWaiting()) setShown(true);
    };
    check();
    return model.arrivals.subscribe(check);
  }, [model]);
  return hasShown;
}

const allData = (results: readonly { data: RecordingOverview | undefined }[]) => {
  const data = results.map((result) => result.data);
  return data.every((overview) => overview !== undefined) ? data : null;
};

/** Loads the other sensors into the model once the recording's own signals show. */
export function useOtherSensors(model: ViewerModel, all: readonly Recording[]): void {
  const groups = useMemo(() => overlappingRecordings(model.recording, all), [model, all]);
  const flat = useMemo(() => groups.flat(), [groups]);
  const hasShown = useHasShown(model);
  const overviews = useQueries({
    queries: flat.map(({ studyId, id }) => ({ ...recordingOverviewQuery(studyId, id), enabled: hasShown })),
    combine: allData,
  });
  useEffect(() => {
    if (!overviews || overviews.length === 0) return;
    const overviewOf = new Map(flat.map(({ id }, i) => [id, overviews[i]]));
    model.setOthers(
      groups.map((group) =>
        group.flatMap((recording) => {
          const overview = overviewOf.get(recording.id);
          return overview ? [{ recording, overview }] : [];
        }),
      ),
    );
  }, [model, groups, flat, overviews]);
}

export interface Lanes {
  /** From top to bottom: electric channels first. */
  all: readonly SignalLane[];
  shown: readonly SignalLane[];
  showsLabels: boolean;
  showsMagnitude: boolean;
}

export function useLanes(model: ViewerModel): Lanes {
  const { t } = useWords();
  const placement = usePlacement();
  const others = useStore(model.others);
  const { hiddenSignals, showsMagnitude } = useStore(preferences);
  const all = useMemo(() => {
    const hasElectric = [model.sensor, ...others].some(({ lead }) => lead);
    // Lower lanes in a low window, so that strips and detail fit on one screen.
    const electricPx = window.innerHeight < LOW_WINDOW_PX ? 200 : 260;
    const motionPx = hasElectric || others.length > 0 ? MOTION_PX : MOTION_ALONE_PX;
    const laneOf = (sensor: Sensor, channel: Sensor['channels'][number]): SignalLane => {
      const electric = isElectric(channel.type);
      const { location, side } = sensor.physicalConfig;
      const name =
        channel.type in HEART_LANES
          ? t(HEART_LANES[channel.type as keyof typeof HEART_LANES])
          : t('table.withNote', {
              name: channelName(channel.type),
              aside: electric ? 'mV' : writtenUnit(channel.unit, t),
            });
      return {
        id: `${location} ${side} ${channel.type}`,
        sensor,
        channel,
        name: others.length > 0 ? `${placement(sensor.physicalConfig)} · ${name}` : name,
        isElectric: electric,
        heightPx: electric ? electricPx : holdsIntervals(channel) ? Math.max(motionPx, MOTION_ALONE_PX) : motionPx,
      };
    };
    const channelName = (type: string) => {
      if (type === 'ACCEL') return t('viewer.acceleration');
      if (type === 'GYRO') return t('viewer.rotation');
      const foreign = foreignChannelType(type);
      if (foreign === undefined) return type;
      return `${t(`viewer.channelTypes.${foreign}`)}${type.slice(foreign.length).replace('_', ' ')}`;
    };
    const used = new Set<string>();
    const lanes = [model.sensor, ...others].flatMap((sensor) =>
      sensor.channels.map((channel) => {
        const lane = laneOf(sensor, channel);
        // The address distinguishes two sensors in the same place.
        const id = used.has(lane.id) ? `${lane.id} ${sensor.udid}` : lane.id;
        used.add(id);
        return { ...lane, id };
      }),
    );
    return [...lanes.filter((lane) => lane.isElectric), ...lanes.filter((lane) => !lane.isElectric)];
  }, [model, others, t, placement]);
  return useMemo(() => {
    const shown = all.filter(({ id }) => !hiddenSignals.includes(id));
    return {
      all,
      // At least one lane shows, even with all of them hidden.
      shown: shown.length > 0 ? shown : all.slice(0, 1),
      showsLabels: !hiddenSignals.includes(LABELS_LANE),
      showsMagnitude,
    };
  }, [all, hiddenSignals, showsMagnitude]);
}
