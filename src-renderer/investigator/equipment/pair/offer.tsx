/** The pairing code while no device has called: a QR code to scan, or an address and a code to type. */
import type { Pairing, StartedPairing } from '../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button } from '../../../shared/kit/controls.tsx';
import { Icon } from '../../../shared/kit/icon.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import { minutesAndSeconds, useSecondsUntil } from './countdown.ts';
import { NotFoundHelp } from './not-found.tsx';
import styles from './pair.module.css';

const STEPS = [
  { id: 'open', icon: 'equipment' },
  { id: 'scan', icon: 'qr' },
  { id: 'compare', icon: 'check' },
] as const;

function Steps() {
  const { t, format } = useWords();
  return (
    <ol className={styles.steps}>
      {STEPS.map(({ id, icon }, index) => (
        <li key={id}>
          <span aria-hidden="true">{format.number(index + 1)}</span>
          <Icon name={icon} size={32} />
          <div>
            <strong>{t(`pairing.steps.${id}`)}</strong>
            <p>{t(`pairing.stepHelp.${id}`)}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Why the device that called was rejected, and what to do before it tries again. */
function ProblemText({ code, clockDifferenceMs }: { code: string; clockDifferenceMs: number | undefined }) {
  const { t, format } = useWords();
  const duration = format.duration(Math.abs(clockDifferenceMs ?? 0) / 1000);
  return <p>{code === 'PAIRING_CLOCK' ? t('pairing.clock', { duration }) : t('pairing.problem', { code })}</p>;
}

function Countdown({ expirationTs }: { expirationTs: number }) {
  const { t } = useWords();
  const seconds = useSecondsUntil(expirationTs);
  return (
    <strong role="timer" aria-live="off">
      {t('pairing.expiresIn', { time: minutesAndSeconds(seconds) })}
    </strong>
  );
}

function TypeInstead({ started }: { started: StartedPairing }) {
  const { t } = useWords();
  return (
    <section className={styles.typed} aria-label={t('pairing.typeInstead')}>
      <h2>{t('pairing.typeInstead')}</h2>
      <dl>
        <dt>{t('pairing.address')}</dt>
        <dd className={styles.mono}>
          {started.addresses.map((address) => (
            <div key={address}>{address}</div>
          ))}
        </dd>
        <dt>{t('pairing.code')}</dt>
        <dd className={styles.code}>{started.code}</dd>
      </dl>
    </section>
  );
}

export function Offer({
  started,
  pairing,
  onNewCode,
  onCancel,
  isStarting,
}: {
  started: StartedPairing;
  pairing: Pairing | undefined;
  onNewCode: () => void;
  onCancel: () => void;
  isStarting: boolean;
}) {
  const { t } = useWords();
  const isTypedClosed = pairing?.state === 'LOCKED';
  return (
    <>
      {isTypedClosed && <Notice tone="warn">{t('pairing.typedClosed')}</Notice>}
      {pairing && pairing.wrongTries > 0 && !isTypedClosed && pairing.problem === undefined && (
        <Notice tone="warn">
          {t('pairing.wrongTries', { count: pairing.wrongTries, limit: pairing.maxWrongTries })}
        </Notice>
      )}
      {pairing?.problem !== undefined && (
        <Notice tone="warn">
          <ProblemText code={pairing.problem} clockDifferenceMs={pairing.clockDifferenceMs} />
        </Notice>
      )}
      <div className={`${panelClass} ${styles.columns}`}>
        <div>
          <Steps />
          {!isTypedClosed && <TypeInstead started={started} />}
        </div>
        <div className={styles.side}>
          <div className={styles.qr}>
            <img src={`data:image/svg+xml,${encodeURIComponent(started.qrSvg)}`} alt={t('pairing.qr')} />
          </div>
          <div className={styles.timer}>
            <Countdown expirationTs={pairing?.expirationTs ?? started.expirationTs} />
            <Button small icon="retry" onPress={onNewCode} isDisabled={isStarting}>
              {t('pairing.newCode')}
            </Button>
          </div>
          <p className={styles.waiting} role="status">
            <span className={styles.dot} />
            {t('pairing.waiting')}
          </p>
          <Button kind="quiet" onPress={onCancel}>
            {t('pairing.cancel')}
          </Button>
        </div>
      </div>
      <NotFoundHelp pairing={pairing} />
    </>
  );
}
