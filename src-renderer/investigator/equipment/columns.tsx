/** Table columns that the lists of equipment and of devices share. */
import type { FleetItem } from '../../../src-server/api/contract/index.ts';
import type { Words } from '../../shared/i18n/i18n.ts';
import { type Column, Faint } from '../../shared/kit/data-table.tsx';
import { Battery, type ContactFacts, ContactPill, Held } from './contact.tsx';

/** Last contact, battery and held recordings of the device of a row. */
export function stateColumns<Row>(
  { t }: Words,
  contactOf: (row: Row) => ContactFacts,
  batteryOf: (row: Row) => number | undefined,
  heldOf: (row: Row) => FleetItem['held'],
): Column<Row>[] {
  return [
    {
      id: 'contact',
      header: t('equipment.contact'),
      value: (row) => contactOf(row).lastContactTs,
      cell: (row) => <ContactPill item={contactOf(row)} />,
    },
    {
      id: 'battery',
      header: t('equipment.battery'),
      isNumber: true,
      value: batteryOf,
      cell: (row) => <Battery percent={batteryOf(row)} />,
    },
    {
      id: 'held',
      header: t('equipment.notReceived'),
      help: t('equipment.notReceivedHelp'),
      isNumber: true,
      value: (row) => heldOf(row)?.recordings,
      cell: (row) => <Held held={heldOf(row)} />,
    },
  ];
}

/** A secondary column with the firmware version, or "not reported". */
export function firmwareColumn<Row>(
  { t }: Words,
  id: string,
  header: string,
  versionOf: (row: Row) => string | undefined,
): Column<Row> {
  return {
    id,
    isSecondary: true,
    header,
    value: versionOf,
    cell: (row) => versionOf(row) ?? <Faint>{t('equipment.notReported')}</Faint>,
  };
}

/** An instant as a short moment, with its date, time and zone as the tooltip. */
export function timeCell({ format }: Words, ms: number) {
  return <span title={format.dateTime(ms)}>{format.moment(ms)}</span>;
}
