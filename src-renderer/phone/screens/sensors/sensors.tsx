/** The sensors that the subject has: where to wear each, its battery, and when its data last reached the clinic. */
import type { ReactNode } from 'react';
import { Nothing } from '../../kit/body.tsx';
import { ButtonLink } from '../../kit/button.tsx';
import { Icon } from '../../kit/icon.tsx';
import { Page } from '../../kit/page.tsx';
import { pathOf } from '../../kit/route.ts';
import { useNow, usePhone } from '../../kit/use-phone.ts';
import type { PhoneSensor } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import { localDate, sinceText } from '../waiting/since.ts';
import { BluetoothPanel } from './bluetooth.tsx';
import { BodyFigure } from './body-figure.tsx';
import { isKnownPlace, placeOf, usePlaceText } from './places.ts';
import styles from './sensors.module.css';

export function SensorsScreen() {
  const { t } = useWords();
  const { sensors } = usePhone();
  const hasSides = sensors.some(({ location, side }) => placeOf(location).hasSide && side !== 'ANY');
  return (
    <Page title={t('sensors.title')} screen="sensors">
      {sensors.length === 0 ? (
        <Nothing>
          <Icon name="sensor" size={40} />
          <h2>{t('sensors.none')}</h2>
          <p>{t('sensors.noneHelp')}</p>
        </Nothing>
      ) : (
        <>
          {hasSides && <p className={styles.help}>{t('sensors.yourLeft')}</p>}
          <ul className={styles.list}>
            {sensors.map((sensor) => (
              <li key={sensor.serial}>
                <SensorCard sensor={sensor} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Page>
  );
}

function SensorCard({ sensor }: { sensor: PhoneSensor }) {
  const { t, format } = useWords();
  const { timeZone } = usePhone();
  const now = useNow();
  const placeText = usePlaceText();
  const { batteryPercent, lastUploadTs } = sensor;
  return (
    <article className={styles.card} aria-labelledby={`sensor-${sensor.serial}`}>
      <div className={styles.top}>
        {isKnownPlace(sensor.location) && <BodyFigure sensor={sensor} />}
        <div className={styles.facts}>
          <h2 id={`sensor-${sensor.serial}`}>{placeText(sensor)}</h2>
          <p className={styles.name}>{sensor.displayName}</p>
          <dl>
            <Fact name={t('sensors.battery')}>
              {batteryPercent === undefined ? (
                t('sensors.batteryUnknown')
              ) : (
                <>
                  <Battery percent={batteryPercent} /> {t('sensors.batteryOf', { percent: batteryPercent })}
                </>
              )}
            </Fact>
            <Fact name={t('sensors.upload')}>
              {lastUploadTs === undefined
                ? t('sensors.noUpload')
                : sinceText(lastUploadTs, now, { t, format, timeZone })}
            </Fact>
            <Fact name={t('sensors.since')}>{format.shortDate(localDate(sensor.heldSinceTs, timeZone))}</Fact>
            <Fact name={t('sensors.serial')}>{sensor.serial}</Fact>
          </dl>
        </div>
      </div>
      <BluetoothPanel sensor={sensor} />
      <ButtonLink look="quiet" icon="help" to={pathOf('problem', sensor.serial)}>
        {t('sensors.problem')}
      </ButtonLink>
    </article>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Battery({ percent }: { percent: number }) {
  return (
    <svg className={percent <= 20 ? styles.low : styles.battery} viewBox="0 0 34 16" aria-hidden="true">
      <rect x="1" y="1" width="28" height="14" rx="3" />
      <rect x="3.5" y="3.5" width={(23 * Math.min(100, Math.max(4, percent))) / 100} height="9" rx="1.5" />
      <rect x="30.5" y="5" width="3" height="6" rx="1" />
    </svg>
  );
}
