/** The data coverage of a subject: days against sensors, each with the stage that its recordings have reached. */

import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { CoverageDay } from '../../../src-server/api/contract/index.ts';
import { coverageQuery } from '../../shared/api/attention-queries.ts';
import { fileName } from '../../shared/api/download.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { subjectQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { CsvButton } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { noteClass } from '../../shared/kit/page.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { usePlacement, useSensorName } from '../recordings/sensor-words.ts';
import { SubjectLink } from '../subjects/subject-link.tsx';
import styles from './causes.module.css';
import { coverageCsv } from './coverage-csv.ts';

type SensorDay = CoverageDay['sensors'][number];

const hasRecordings = ({ sensors }: CoverageDay) => sensors.some(({ states }) => states.length > 0);

function Cell({ sensor }: { sensor: SensorDay | undefined }) {
  const { t, format } = useWords();
  if (!sensor) return <Faint>{t('coverage.notHandedOut')}</Faint>;
  if (sensor.states.length === 0) return <Faint>{t('coverage.none')}</Faint>;
  return (
    <span className={styles.states}>
      {sensor.states.map(({ state, seconds, sizeBytes }) => (
        <span key={state} className={styles.state}>
          <span className={`${styles.bar} ${styles[state]}`} aria-hidden="true" />
          <span>
            {t(`coverage.states.${state}`)}{' '}
            <small>{t('coverage.cell', { hours: format.duration(seconds), size: format.bytes(sizeBytes) })}</small>
          </span>
        </span>
      ))}
    </span>
  );
}

export function Coverage() {
  const { t, format } = useWords();
  const params = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/coverage' });
  const placement = usePlacement();
  const sensorName = useSensorName();
  const mayExport = usePermissions()('analytics.export', params.studyId);
  const subject = useQuery(subjectQuery(params.studyId, params.subjectId));
  const query = useQuery(coverageQuery(params.studyId, params.subjectId));
  return (
    <QueryView query={query}>
      {({ items }) => {
        const sensors = new Map(items.flatMap((day) => day.sensors.map((sensor) => [sensor.sensorId, sensor])));
        if (sensors.size === 0)
          return (
            <Empty icon="calendar" title={t('coverage.emptyTitle')} help={t('coverage.emptyHelp')}>
              <SubjectLink view="equipment" {...params} />
            </Empty>
          );
        const columns: Column<CoverageDay>[] = [
          {
            id: 'date',
            header: t('metrics.date'),
            value: (day) => day.date,
            cell: (day) => (
              <Link
                to="/studies/$studyId/subjects/$subjectId/days"
                params={params}
                search={{ date: day.date }}
                aria-label={t('coverage.open', { date: format.date(day.date) })}
              >
                {format.shortDate(day.date)}
              </Link>
            ),
          },
          {
            id: 'worn',
            header: t('coverage.worn'),
            cell: (day) =>
              day.wornSeconds === undefined ? (
                <Faint>{t(hasRecordings(day) ? 'coverage.notAnalysed' : 'coverage.none')}</Faint>
              ) : (
                format.duration(day.wornSeconds)
              ),
          },
          ...[...sensors.values()].map(
            (sensor): Column<CoverageDay> => ({
              id: sensor.sensorId,
              header: [
                sensorName(sensor.displayName),
                sensor.location && placement({ location: sensor.location, side: 'NONE', signal: '' }),
              ]
                .filter(Boolean)
                .join(' · '),
              cell: (day) => <Cell sensor={day.sensors.find(({ sensorId }) => sensorId === sensor.sensorId)} />,
            }),
          ),
        ];
        return (
          <section aria-label={t('coverage.title')} className={styles.grid}>
            <h2 className="visually-hidden">{t('coverage.title')}</h2>
            <div className={styles.head}>
              <p className={noteClass}>{t('coverage.help')}</p>
              {mayExport && (
                <CsvButton
                  label={t('coverage.csv')}
                  fileName={fileName(subject.data?.displayName ?? params.subjectId, 'coverage.csv')}
                  text={() => coverageCsv(items)}
                />
              )}
            </div>
            <DataTable
              caption={t('coverage.table')}
              rows={items}
              columns={columns}
              rowId={(day) => day.date}
              initialSort={{ id: 'date', desc: true }}
            />
          </section>
        );
      }}
    </QueryView>
  );
}
