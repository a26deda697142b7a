/** A recording as it grows: link, contact, battery, what was lost, and a picture to check the fit. No vital sign is shown. */

import type { LiveView } from '../../../shared/sensors/live-set.ts';
import { Notice } from '../../kit/notice.tsx';
import { useNow } from '../../kit/use-phone.ts';
import type { PhoneSensor } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import { problemText } from './problem-text.ts';
import styles from './record.module.css';

const LOW_BATTERY = 20;
const SILENT_MS = 10_000;

export function LiveRecordingView({ live, sensor }: { live: LiveView; sensor: PhoneSensor }) {
  const words = useWords();
  const { t, format } = words;
  const now = useNow(1000);
  const { lastUploadTs } = sensor;
  const { status } = live;
  const silentMs = status.silentSinceMs === undefined ? 0 : Date.now() - status.silentSinceMs;
  const contact =
    status.hasContact === null ? 'record.contactUnknown' : status.hasContact ? 'record.contactYes' : 'record.contactNo';
  const hasFailed = status.phase === 'FAILED';
  const isLow = status.batteryPercent !== undefined && status.batteryPercent < LOW_BATTERY;
  const minutesAgo = lastUploadTs === undefined ? undefined : Math.max(0, Math.floor((now - lastUploadTs) / 60_000));
  return (
    <>
      <p className={styles.phase} role="status">
        <span className={status.phase === 'RECORDING' ? styles.on : styles.off} aria-hidden="true" />
        {t(`record.phases.${status.phase}`)}
      </p>
      <div role="alert">
        {status.problem && (
          <Notice tone="bad" {...(hasFailed && { title: problemText(words, status.problem.code) })}>
            {hasFailed ? t('record.failedDo') : problemText(words, status.problem.code)}
          </Notice>
        )}
      </div>
      {silentMs > SILENT_MS && (
        <Notice tone="warn">{t('record.silent', { seconds: format.number(Math.floor(silentMs / 1000)) })}</Notice>
      )}
      {status.phase === 'RECORDING' && silentMs <= SILENT_MS && <Signal values={live.signal()} />}
      <dl className={styles.facts}>
        <Fact
          name={t('record.recorded')}
          value={t('record.minutes', { count: Math.floor(status.recordedMs / 60_000) })}
        />
        <Fact name={t('record.contact')} value={t(contact)} />
        {status.batteryPercent !== undefined && (
          <Fact
            name={t('record.battery')}
            value={t(isLow ? 'record.batteryLow' : 'record.batteryOf', { percent: status.batteryPercent })}
          />
        )}
        <Fact name={t('record.lost')} value={format.number(status.lostFrames + status.unreadableFrames)} />
        <Fact
          name={t('record.sent')}
          value={minutesAgo === undefined ? t('record.notSent') : t('record.sentAgo', { count: minutesAgo })}
        />
      </dl>
      <p className={styles.small}>{t('record.stopFirst')}</p>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

const WIDTH = 320;
const HEIGHT = 90;

function Signal({ values }: { values: readonly number[] }) {
  const { t } = useWords();
  if (values.length < 2) return null;
  const low = Math.min(...values);
  const high = Math.max(...values);
  const span = high - low || 1;
  const points = values
    .map((value, i) => {
      const x = (i / (values.length - 1)) * WIDTH;
      const y = HEIGHT - 4 - ((value - low) / span) * (HEIGHT - 8);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
  return (
    <figure className={styles.signal}>
      <figcaption>
        <strong>{t('record.signal')}</strong> {t('record.signalText')}
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={t('record.signalPicture')}
        preserveAspectRatio="none"
      >
        <polyline points={points} />
      </svg>
    </figure>
  );
}
