import { useCallback } from 'react';
import { UNKNOWN_SENSOR } from '../../../src-server/api/contract/coverage-words.ts';
import { type Translate, useWords } from '../../shared/i18n/i18n.ts';

/** The name of a sensor as shown; a file that names no sensor has none, or the importers' placeholder. */
export function sensorNameIn(name: string, t: Translate): string {
  return name === '' || name === UNKNOWN_SENSOR ? t('recordings.unknownSensor') : name;
}

export function useSensorName(): (name: string) => string {
  const { t } = useWords();
  return useCallback((name) => sensorNameIn(name, t), [t]);
}
