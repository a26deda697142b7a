import { useCallback } from 'react';
import type { Device } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';

/** How a device is called: a subject's own phone after its subject, as its serial number is made up by its program. */
export function useDeviceName(): (device: Pick<Device, 'displayName' | 'subjectName'>) => string {
  const { t } = useWords();
  return useCallback(
    ({ displayName, subjectName }) =>
      subjectName === undefined ? displayName : t('devices.phoneOf', { name: subjectName }),
    [t],
  );
}
