/** A recording as it grows: link, time, contact, battery, interruptions, and a trace that proves contact. No vital sign is shown. */
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill } from '../../shared/kit/controls.tsx';
import { FactPanel } from '../../shared/kit/page.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import type { LiveView as Live } from '../../shared/sensors/live-set.ts';
import styles from './record.module.css';
import { useNow } from './use-now.ts';
import { useCodeWords } from './words.ts';

const LOW_BATTERY_PERCENT = 20;
const SILENT_MS = 10_000;
const SHOWN_GAPS = 8;
const REDRAW_MS = 250;
const TONES: { [P in Live['status']['phase']]?: 'good' | 'warn' | 'bad' } = {
  RECORDING: 'good',
  RECONNECTING: 'warn',
  FAILED: 'bad',
};

interface Props {
  live: Live;
  name: string;
  isBusy: boolean;
  onStop: () => void;
}

export function LiveView({ live, name, isBusy, onStop }: Props) {
  const { t, format } = useWords();
  const words = useCodeWords();
  const now = useNow(REDRAW_MS);
  const { status, startedTs, deviceName } = live;
  const { phase, hasContact, batteryPercent, problem, silentSinceMs } = status;
  const silentMs = silentSinceMs === undefined ? 0 : now - silentSinceMs;
  const hasFailed = phase === 'FAILED';
  const isLow = batteryPercent !== undefined && batteryPercent < LOW_BATTERY_PERCENT;
  return (
    <section className={styles.live} aria-label={`${t('live.facts')}: ${name}`}>
      <header>
        <h3>{name}</h3>
        <span role="status">
          <Pill tone={TONES[phase] ?? 'info'}>{t(`live.phases.${phase}`)}</Pill>
        </span>
        <Button kind="primary" isDisabled={isBusy || phase === 'STOPPING'} onPress={onStop}>
          {t(phase === 'STOPPING' ? 'live.stopping' : 'live.stop')}
        </Button>
      </header>
      {problem && (
        <Notice tone={hasFailed || problem.code === 'STORE_FULL' ? 'bad' : 'warn'}>
          {words.problem(problem.code)}
          {hasFailed && ` ${t('live.failedDo')}`}
        </Notice>
      )}
      {silentMs > SILENT_MS && (
        <Notice tone="warn">{t('live.silent', { seconds: format.number(Math.floor(silentMs / 1000)) })}</Notice>
      )}
      <FactPanel
        label={t('live.facts')}
        className={styles.facts}
        facts={[
          [t('live.elapsed'), clockOf(now - startedTs)],
          [t('live.recorded'), clockOf(status.recordedMs)],
          [
            t('live.contact'),
            t(hasContact === null ? 'live.contactUnknown' : hasContact ? 'live.contactYes' : 'live.contactNo'),
          ],
          [
            t('live.battery'),
            batteryPercent === undefined
              ? t('live.batteryUnknown')
              : t(isLow ? 'live.batteryLow' : 'live.batteryOf', { percent: format.number(batteryPercent) }),
          ],
          [t('live.lost'), format.number(status.lostFrames + status.unreadableFrames)],
          [t('live.reconnections'), format.number(Math.max(0, status.connections - 1))],
          [t('live.device'), deviceName],
        ]}
      />
      <Trace values={live.signal()} isBeats={phase === 'RECORDING' && status.recordedMs > 0} />
      <Gaps live={live} />
    </section>
  );
}

/** Hours, minutes and seconds, in digits of one width. */
function clockOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

function Gaps({ live: { gaps } }: { live: Live }) {
  const { t, format } = useWords();
  const words = useCodeWords();
  return (
    <div className={styles.gaps}>
      <h4>{t('live.gaps')}</h4>
      {gaps.length === 0 ? (
        <p>{t('live.noGaps')}</p>
      ) : (
        <ul>
          {gaps
            .slice(-SHOWN_GAPS)
            .toReversed()
            .map(({ fromTs, toTs, reason }) => (
              <li key={`${fromTs} ${reason}`}>
                <span>
                  {toTs === undefined
                    ? t('live.gapNow', { from: format.clock(fromTs) })
                    : t('live.gapFrom', { from: format.clock(fromTs), to: format.clock(toTs) })}
                </span>{' '}
                {words.problem(reason)}
              </li>
            ))}
        </ul>
      )}
    </div>
  );
}

const WIDTH = 600;
const HEIGHT = 96;

/** Scaled to its own range, so that nothing can be measured in it. */
function Trace({ values, isBeats }: { values: readonly number[]; isBeats: boolean }) {
  const { t } = useWords();
  if (values.length < 2) return isBeats ? <p className={styles.small}>{t('live.signalNone')}</p> : null;
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  const points = values.map((value, i) => {
    const x = (i / (values.length - 1)) * WIDTH;
    const y = HEIGHT - 4 - ((value - low) / span) * (HEIGHT - 8);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <figure className={styles.trace}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={t('live.signalPicture')}
        preserveAspectRatio="none"
      >
        <polyline points={points.join(' ')} />
      </svg>
      <figcaption>
        <strong>{t('live.signal')}</strong> {t('live.signalHelp')}
      </figcaption>
    </figure>
  );
}
