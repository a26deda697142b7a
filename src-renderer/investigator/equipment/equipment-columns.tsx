/** Columns of the equipment table. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { FleetItem } from '../../../src-server/api/contract/index.ts';
import { type Permissions, usePermissions } from '../../shared/api/permissions.ts';
import { useWords, type Words } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { type Column, Faint } from '../../shared/kit/data-table.tsx';
import { firmwareColumn, stateColumns, timeCell } from './columns.tsx';
import { FaultCounts, isMalfunction } from './contact.tsx';
import { EquipmentLink } from './links.tsx';

export interface EquipmentAction {
  kind: 'handOut' | 'takeBack';
  item: FleetItem;
}

/** Sorts a malfunction before any number of ordinary faults. */
const MALFUNCTION_WEIGHT = 1e6;

/**
 * @param withHolder shows who holds each item; otherwise, on the page of one holder, since when
 * @param onAction opens the dialog that hands an item out or takes it back
 */
export function useEquipmentColumns(
  withHolder: boolean,
  onAction: (action: EquipmentAction) => void,
): Column<FleetItem>[] {
  const words = useWords();
  const can = usePermissions();
  return useMemo(() => {
    const { t } = words;
    return [
      {
        id: 'name',
        header: t('equipment.name'),
        value: (item) => item.displayName,
        cell: (item) => <EquipmentLink id={item.id} name={item.displayName} />,
      },
      {
        id: 'type',
        header: t('equipment.type'),
        value: (item) => t(`equipment.types.${item.type}`),
        cell: (item) => t(`equipment.types.${item.type}`),
      },
      withHolder ? holderColumn(words) : heldSinceColumn(words),
      ...stateColumns<FleetItem>(
        words,
        (item) => item,
        (item) => item.batteryPercent,
        (item) => item.held,
      ),
      {
        id: 'faults',
        isSecondary: true,
        header: t('equipment.faults'),
        value: (item) =>
          item.faultCounts.reduce(
            (sum, fault) => sum + fault.count * (isMalfunction(fault.faultClass) ? MALFUNCTION_WEIGHT : 1),
            0,
          ),
        cell: (item) => <FaultCounts item={item} />,
      },
      firmwareColumn<FleetItem>(words, 'firmware', t('equipment.firmware'), (item) => item.firmwareId),
      ...(can('equipment.assign') ? [actionColumn(words, can, onAction)] : []),
    ];
  }, [words, can, withHolder, onAction]);
}

function holderColumn({ t, format }: Words): Column<FleetItem> {
  return {
    id: 'holder',
    header: t('equipment.assignedTo'),
    // Holders in studies that the reader may not see sort after all names.
    value: (item) => item.holder?.subjectName ?? (item.state === 'ASSIGNED' ? '~' : undefined),
    cell: ({ holder, state }) => {
      if (!holder) return <Faint>{t(state === 'ASSIGNED' ? 'equipment.otherStudy' : 'equipment.unassigned')}</Faint>;
      const { studyId, subjectId } = holder;
      return (
        <>
          <Link to="/studies/$studyId/subjects/$subjectId/equipment" params={{ studyId, subjectId }}>
            {holder.subjectName}
          </Link>{' '}
          <Faint isSecondary help={t('equipment.since', { time: format.dateTime(holder.sinceTs) })}>
            {holder.studyName}
          </Faint>
        </>
      );
    },
  };
}

function heldSinceColumn(words: Words): Column<FleetItem> {
  return {
    id: 'since',
    header: words.t('equipment.assignedSince'),
    isNumber: true,
    value: (item) => item.holder?.sinceTs,
    cell: ({ holder }) => holder && timeCell(words, holder.sinceTs),
  };
}

function actionColumn({ t }: Words, can: Permissions, onAction: (action: EquipmentAction) => void): Column<FleetItem> {
  return {
    id: 'action',
    header: t('equipment.action'),
    cell: (item) => {
      if (item.state === 'UNASSIGNED')
        return (
          <Button
            small
            aria-label={t('equipment.handOutTitle', { name: item.displayName })}
            onPress={() => onAction({ kind: 'handOut', item })}
          >
            {t('equipment.handOut')}
          </Button>
        );
      const { holder } = item;
      if (!holder || !can('equipment.assign', holder.studyId)) return '';
      return (
        <Button
          small
          aria-label={t('equipment.takeBackTitle', { name: item.displayName, subject: holder.subjectName })}
          onPress={() => onAction({ kind: 'takeBack', item })}
        >
          {t('equipment.takeBack')}
        </Button>
      );
    },
  };
}
