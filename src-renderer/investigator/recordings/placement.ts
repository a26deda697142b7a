import { useCallback } from 'react';
import type { Recording } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { subject as words } from '../../shared/locales/en/subject.ts';

const isIn = <T extends object>(key: string, table: T): key is string & keyof T => key in table;

/** `ANTERIOR_THIGH` as `Anterior thigh`: the set of places is open. */
const readable = (code: string) => code.charAt(0) + code.slice(1).toLowerCase().replaceAll('_', ' ');

/** Where a sensor is worn, in words. */
export function usePlacement(): (config: Recording['physicalConfig']) => string {
  const { t, language } = useWords();
  return useCallback(
    (config) => {
      const place = isIn(config.location, words.locations)
        ? t(`locations.${config.location}`)
        : readable(config.location);
      if (config.side === 'NONE' || config.side === '') return place;
      const side = isIn(config.side, words.sides) ? t(`sides.${config.side}`) : readable(config.side);
      return language === 'ja' ? `${place}（${side}）` : `${place}, ${side}`;
    },
    [t, language],
  );
}
