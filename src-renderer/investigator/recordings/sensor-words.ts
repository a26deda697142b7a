/** What a recording's sensor is called and where it was worn, in words. */
import { useCallback } from 'react';
import type { Recording } from '../../../src-server/api/contract/index.ts';
import { UNKNOWN_SENSOR } from '../../../src-server/vocabulary/coverage.ts';
import { hasText, type Translate, useWords } from '../../shared/i18n/i18n.ts';
import type { subject as words } from '../../shared/locales/en/subject.ts';

const isLocation = (code: string): code is keyof typeof words.locations => hasText(`locations.${code}`);
const isSide = (code: string): code is keyof typeof words.sides => hasText(`sides.${code}`);

/** Turns `ANTERIOR_THIGH` into `Anterior thigh`, for the locations that have no translation: the set is open. */
const readable = (code: string) => code.charAt(0) + code.slice(1).toLowerCase().replaceAll('_', ' ');

/** Returns a function that names where a sensor is worn. */
export function usePlacement(): (config: Recording['physicalConfig']) => string {
  const { t, language } = useWords();
  return useCallback(
    (config) => {
      const place = isLocation(config.location) ? t(`locations.${config.location}`) : readable(config.location);
      if (config.side === 'NONE' || config.side === '') return place;
      const side = isSide(config.side) ? t(`sides.${config.side}`) : readable(config.side);
      return language === 'ja' ? `${place}（${side}）` : `${place}, ${side}`;
    },
    [t, language],
  );
}

/** Returns the sensor's name, or "unknown sensor" where the imported file named none. */
export function sensorNameIn(name: string, t: Translate): string {
  return name === '' || name === UNKNOWN_SENSOR ? t('recordings.unknownSensor') : name;
}

export function useSensorName(): (name: string) => string {
  const { t } = useWords();
  return useCallback((name) => sensorNameIn(name, t), [t]);
}
