/** Calls from devices that the site refused, each with its reason. Renders nothing while there are none. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Refusal } from '../../../src-server/api/contract/index.ts';
import { refusalsQuery } from '../../shared/api/equipment-queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { hasText, useWords } from '../../shared/i18n/i18n.ts';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import type { equipment } from '../../shared/locales/en/equipment.ts';
import { timeCell } from './columns.tsx';
import styles from './equipment.module.css';
import { useMayManage } from './frame.tsx';

type ReasonCode = keyof typeof equipment.refusals.reason;
const isKnownCode = (code: string): code is ReasonCode => hasText(`refusals.reason.${code}`);

/** Why a call was refused and what to do, in the reader's language; unknown codes keep the site's English sentence. */
export function useRefusalReason(): (refusal: Refusal) => string {
  const { t } = useWords();
  return ({ code, message }) => (isKnownCode(code) ? t(`refusals.reason.${code}`) : message);
}

function Caller({ refusal }: { refusal: Refusal }) {
  const { t } = useWords();
  if (refusal.displayName !== undefined) return refusal.displayName;
  if (refusal.serial !== undefined) return t('refusals.reportedSerial', { serial: refusal.serial });
  return refusal.address ?? t('refusals.manyAddresses');
}

export function RefusalTable({ kind }: { kind?: Refusal['kind'] }) {
  const words = useWords();
  const { t, format, language } = words;
  const { user } = useSession();
  const reasonOf = useRefusalReason();
  const { data } = useQuery({ ...refusalsQuery(user.accountId), enabled: useMayManage() });
  const columns = useMemo(
    (): Column<Refusal>[] => [
      {
        id: 'who',
        header: t('refusals.who'),
        value: (refusal) => refusal.displayName ?? refusal.serial ?? refusal.address,
        cell: (refusal) => <Caller refusal={refusal} />,
      },
      {
        id: 'why',
        header: t('refusals.why'),
        value: (refusal) => refusal.code,
        cell: (refusal) => (
          <span className={styles.wrapped} title={language === 'en' ? refusal.message : undefined}>
            {reasonOf(refusal)}
          </span>
        ),
      },
      {
        id: 'attempts',
        header: t('refusals.attempts'),
        isNumber: true,
        value: (refusal) => refusal.attempts,
        cell: (refusal) => format.number(refusal.attempts),
      },
      {
        id: 'last',
        header: t('refusals.last'),
        isNumber: true,
        value: (refusal) => refusal.lastTs,
        cell: (refusal) => timeCell(words, refusal.lastTs),
      },
      {
        id: 'kind',
        isSecondary: true,
        header: t('refusals.kind'),
        value: (refusal) => refusal.kind,
        cell: (refusal) => t(`refusals.kinds.${refusal.kind}`),
      },
      {
        id: 'address',
        isSecondary: true,
        header: t('refusals.address'),
        value: (refusal) => refusal.address,
        cell: (refusal) => refusal.address ?? <Faint>{t('refusals.manyAddresses')}</Faint>,
      },
      {
        id: 'first',
        isSecondary: true,
        header: t('refusals.first'),
        isNumber: true,
        value: (refusal) => refusal.firstTs,
        cell: (refusal) => timeCell(words, refusal.firstTs),
      },
    ],
    [words, t, format, reasonOf, language],
  );
  const rows = data?.items.filter((refusal) => kind === undefined || refusal.kind === kind) ?? [];
  if (rows.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>{t('refusals.title')}</h2>
      <p>{t('refusals.help')}</p>
      <DataTable
        caption={t('refusals.title')}
        rows={rows}
        columns={columns}
        rowId={({ kind: refusedKind, code, message, deviceId, pairingId, address, firstTs }) =>
          JSON.stringify([refusedKind, code, message, deviceId, pairingId, address, firstTs])
        }
        initialSort={{ id: 'last', desc: true }}
      />
    </section>
  );
}
