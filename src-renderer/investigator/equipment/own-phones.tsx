/** The phones that a subject signed in on, with what to do when one is lost. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Device } from '../../../src-server/api/contract/index.ts';
import { devicesQuery } from '../../shared/api/equipment-queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { type Column, DataTable } from '../../shared/kit/data-table.tsx';
import { timeCell } from './columns.tsx';
import { useDeviceName } from './device-names.ts';
import styles from './equipment.module.css';
import { useMayManage } from './frame.tsx';
import { isOwnPhone, RevokePhoneDialog } from './revoke-phone.tsx';

export function OwnPhones({ subjectId }: { subjectId: string }) {
  const words = useWords();
  const { t } = words;
  const { user } = useSession();
  const mayManage = useMayManage();
  const nameOf = useDeviceName();
  const devices = useQuery(devicesQuery(user.accountId)).data;
  const [lost, setLost] = useState<Device>();
  const columns = useMemo((): Column<Device>[] => {
    const action: Column<Device> = {
      id: 'action',
      header: t('equipment.action'),
      cell: (phone) => (
        <Button small aria-label={t('devices.lostOf', { name: nameOf(phone) })} onPress={() => setLost(phone)}>
          {t('devices.lost')}
        </Button>
      ),
    };
    return [
      { id: 'name', header: t('equipment.name'), value: nameOf, cell: (phone) => nameOf(phone) },
      {
        id: 'contact',
        header: t('subjectList.contact'),
        isNumber: true,
        value: ({ lastContactTs }) => lastContactTs,
        cell: ({ lastContactTs }) =>
          lastContactTs === undefined ? t('subjectList.noContact') : timeCell(words, lastContactTs),
      },
      {
        id: 'paired',
        header: t('devices.signedInSince'),
        isNumber: true,
        value: ({ pairedTs }) => pairedTs,
        cell: ({ pairedTs }) => timeCell(words, pairedTs),
      },
      ...(mayManage ? [action] : []),
    ];
  }, [t, words, nameOf, mayManage]);
  const phones = devices?.items.filter((device) => isOwnPhone(device) && device.subjectId === subjectId) ?? [];
  return (
    <>
      {phones.length > 0 && (
        <section className={styles.section}>
          <h2>{t('devices.ownPhones')}</h2>
          <DataTable
            caption={t('devices.ownPhones')}
            rows={phones}
            columns={columns}
            rowId={({ id }) => id}
            initialSort={{ id: 'contact', desc: true }}
          />
        </section>
      )}
      {lost && <RevokePhoneDialog phone={{ ...lost, displayName: nameOf(lost) }} onClose={() => setLost(undefined)} />}
    </>
  );
}
