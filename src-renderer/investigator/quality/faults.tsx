/** Every fault that devices and recordings of a study reported, newest first. */

import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { FaultClass, StudyFault } from '../../../src-server/api/contract/index.ts';
import { fileName } from '../../shared/api/download.ts';
import { useLongList } from '../../shared/api/long-list.ts';
import { studyFaultsQuery } from '../../shared/api/quality-queries.ts';
import { csvText } from '../../shared/csv.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { CsvButton } from '../../shared/kit/controls.tsx';
import { type Column, DataTable } from '../../shared/kit/data-table.tsx';
import { toolsClass } from '../../shared/kit/page.tsx';
import { ToStudies } from '../../shared/kit/refused.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { FaultName } from '../equipment/contact.tsx';

const faultsCsv = (faults: readonly StudyFault[]) =>
  csvText(
    ['faultTime', 'subjectId', 'subject', 'equipmentId', 'faultClass', 'faultFlag', 'faultType', 'sensorId'],
    faults.map((fault) => [
      new Date(fault.faultTs).toISOString(),
      fault.subjectId,
      fault.subjectName,
      fault.equipmentId,
      fault.faultClass,
      fault.faultFlag,
      fault.faultType,
      fault.sensorId,
    ]),
  );

export function StudyFaults({
  studyId,
  name,
  zoneOf,
  mayExport,
}: {
  studyId: string;
  name: string;
  zoneOf: (subjectId: string) => string | undefined;
  mayExport: boolean;
}) {
  const { t, format } = useWords();
  const list = useLongList(studyFaultsQuery(studyId));
  const columns = useMemo(
    (): Column<StudyFault>[] => [
      {
        id: 'time',
        header: t('quality.faultTime'),
        value: (fault) => fault.faultTs,
        cell: (fault) => format.dateTime(fault.faultTs, zoneOf(fault.subjectId)),
      },
      {
        id: 'subject',
        header: t('quality.subject'),
        value: (fault) => fault.subjectName,
        cell: (fault) => (
          <Link to="/studies/$studyId/subjects/$subjectId/equipment" params={{ studyId, subjectId: fault.subjectId }}>
            {fault.subjectName}
          </Link>
        ),
      },
      {
        id: 'fault',
        header: t('quality.fault'),
        value: (fault) => fault.faultClass ?? fault.faultFlag,
        cell: (fault) => (
          <>
            <FaultName faultClass={fault.faultClass as FaultClass | undefined} /> <small>{fault.faultFlag}</small>
          </>
        ),
      },
      {
        id: 'equipment',
        header: t('quality.equipment'),
        value: (fault) => fault.equipmentName ?? fault.sensorId,
        cell: (fault) => fault.equipmentName ?? fault.sensorId,
      },
    ],
    [t, format, studyId, zoneOf],
  );
  return (
    <QueryView query={list.query}>
      {(faults) =>
        faults.length === 0 ? (
          <Empty icon="check" title={t('quality.noFaultsTitle')} help={t('quality.noFaultsHelp')}>
            <ToStudies />
          </Empty>
        ) : (
          <>
            {mayExport && !list.hasMore && (
              <div className={toolsClass}>
                <CsvButton
                  label={t('quality.faultsCsv')}
                  fileName={fileName(name, 'faults.csv')}
                  text={() => faultsCsv(faults)}
                />
              </div>
            )}
            <DataTable
              caption={t('quality.views.faults')}
              rows={list.items}
              columns={columns}
              rowId={(fault) => fault.id}
              initialSort={{ id: 'time', desc: true }}
              list={list}
            />
          </>
        )
      }
    </QueryView>
  );
}
