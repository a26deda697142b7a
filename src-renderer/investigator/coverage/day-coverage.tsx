/** The stage that the data of one day has reached, per sensor: from the sensor (left) to the analysis (right). */
import type { CoverageDay } from '../../../src-server/api/contract/index.ts';
import { Swatch } from '../../shared/charts/canvas.tsx';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Faint } from '../../shared/kit/data-table.tsx';
import { noteClass, panelClass } from '../../shared/kit/page.tsx';
import { PATH_CATEGORIES, type PathState } from '../days/lanes/path-lanes.ts';
import { usePlacement, useSensorName } from '../recordings/sensor-words.ts';
import styles from './causes.module.css';

type SensorDay = CoverageDay['sensors'][number];

const STAGES = [
  { id: 'sensor', states: ['ON_SENSOR'] },
  { id: 'hub', states: ['ON_HUB'] },
  { id: 'arriving', states: ['RECEIVING', 'RECEIVED'] },
  { id: 'verified', states: ['VERIFIED'] },
  { id: 'analysed', states: ['ANALYSED'] },
] as const satisfies { id: string; states: readonly PathState[] }[];

/** States that a recording does not leave without someone's decision. */
const STOPPED = { id: 'stopped', states: ['QUARANTINED', 'REJECTED'] } as const;

function Stage({ sensor, states }: { sensor: SensorDay; states: readonly PathState[] }) {
  const { t, format } = useWords();
  const here = sensor.states.filter(({ state }) => states.includes(state));
  if (here.length === 0) return <Faint>{t('coverage.nothing')}</Faint>;
  return here.map(({ state, seconds, sizeBytes }) => (
    <span key={state} className={styles.stage}>
      <Swatch category={PATH_CATEGORIES[state]} />
      {format.duration(seconds)}
      <small>
        {states.length > 1 && `${t(`coverage.states.${state}`)}, `}
        {format.bytes(sizeBytes)}
      </small>
    </span>
  ));
}

export function DayCoverage({ day, date }: { day: CoverageDay | undefined; date: string }) {
  const { t, format } = useWords();
  const placement = usePlacement();
  const sensorName = useSensorName();
  const title = t('coverage.dayTitle', { date: format.date(date) });
  const hasStopped = day?.sensors.some(({ states }) =>
    states.some(({ state }) => (STOPPED.states as readonly PathState[]).includes(state)),
  );
  const stages = hasStopped ? [...STAGES, STOPPED] : STAGES;
  return (
    <section className={`${panelClass} ${styles.path}`} aria-label={title}>
      <h2>{title}</h2>
      {!day || day.sensors.length === 0 ? (
        <p className={noteClass}>{t('coverage.noSensorHeld')}</p>
      ) : (
        <>
          <p className={noteClass}>{t('coverage.dayHelp')}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
          <section className={styles.pathFrame} aria-label={t('coverage.table')} tabIndex={0}>
            <table>
              <caption className="visually-hidden">{title}</caption>
              <thead>
                <tr>
                  <th scope="col">{t('coverage.sensor')}</th>
                  {stages.map(({ id }) => (
                    <th key={id} scope="col" data-stage={id}>
                      {t(`coverage.stages.${id}`)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {day.sensors.map((sensor) => (
                  <tr key={sensor.sensorId}>
                    <th scope="row">
                      {sensorName(sensor.displayName)}
                      {sensor.location !== undefined && (
                        <small>{placement({ location: sensor.location, side: 'NONE', signal: '' })}</small>
                      )}
                    </th>
                    {stages.map(({ id, states }) => (
                      <td key={id}>
                        <Stage sensor={sensor} states={states} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
    </section>
  );
}
