/**
 * Posture calibration, guided: stand upright and still while the sensors are worn. The still part becomes a mark of the
 * report, from which the analytics learn how the sensors lie on the body.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { beep, useScreenOn, vibrate } from '../../kit/device.ts';
import { Emblem } from '../../kit/emblem.tsx';
import { Icon } from '../../kit/icon.tsx';
import { Failure } from '../../kit/notice.tsx';
import { navigate } from '../../kit/route.ts';
import { useAction } from '../../kit/use-action.ts';
import { siteNow, useActions, usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import styles from './calibration.module.css';
import { calibrationStep, HOLD_MS, READY_MS, STANDING_MARK } from './calibration-steps.ts';
import { Flow } from './flow.tsx';
import { type StepProps, stepPath } from './steps.ts';

export function CalibrationScreen({ draft, task }: StepProps) {
  const { t } = useWords();
  const actions = useActions();
  const phone = usePhone();
  const { run, isBusy, failure } = useAction();
  const [hasSound, setSound] = useState(false);
  /** By the page's steady clock: a wall clock may be set during the countdown. */
  const [startedAt, setStartedAt] = useState<number>();
  const isDone = draft.marks.length > 0 && startedAt === undefined;

  const begin = async () => {
    if (draft.startedTs === undefined && !(await run(() => actions.startTimer(draft.id)))) return;
    setStartedAt(performance.now());
  };
  const over = useCallback(async () => {
    setStartedAt(undefined);
    const stopTs = siteNow(phone);
    await run(() => actions.mark(draft.id, { displayName: STANDING_MARK, startTs: stopTs - HOLD_MS, stopTs }));
  }, [actions, draft.id, phone, run]);
  const finish = async () => {
    if (await run(() => actions.stopTimer(draft.id)))
      navigate(stepPath(draft.id, task.questions.length > 0 ? 0 : 'check'), { replaces: true });
  };

  if (startedAt !== undefined)
    return (
      <Countdown
        startedAt={startedAt}
        hasSound={hasSound}
        name={task.displayName}
        onOver={over}
        onStop={() => setStartedAt(undefined)}
      />
    );
  if (isDone)
    return (
      <Flow
        name={task.displayName}
        title={t('calibration.doneTitle')}
        actions={
          <>
            <Button look="primary" icon="check" aria-disabled={isBusy} onClick={finish}>
              {t('activity.finish')}
            </Button>
            <Button look="quiet" onClick={begin}>
              {t('calibration.again')}
            </Button>
          </>
        }
      >
        <Emblem icon="check" tone="good" />
        <p>{t('calibration.doneText')}</p>
        <p className={styles.muted}>{t('calibration.againHelp')}</p>
        <Failure text={failure} />
      </Flow>
    );
  return (
    <Flow
      name={t('activity.kind')}
      title={task.displayName}
      actions={
        <Button look="primary" icon="play" aria-disabled={isBusy} onClick={begin}>
          {t('calibration.start')}
        </Button>
      }
    >
      <div className={styles.picture}>
        <Icon name="stand" size={96} />
      </div>
      <ol className={styles.steps}>
        <li>{t('calibration.steps.wear')}</li>
        <li>{t('calibration.steps.stand')}</li>
        <li>{t('calibration.steps.still', { seconds: HOLD_MS / 1000 })}</li>
      </ol>
      {task.instructions && <p className={styles.muted}>{task.instructions}</p>}
      {phone.reach.canVibrate && <p className={styles.muted}>{t('calibration.vibrates')}</p>}
      <label className={styles.sound}>
        <input type="checkbox" checked={hasSound} onChange={(event) => setSound(event.target.checked)} />
        <span>{t('calibration.sound')}</span>
      </label>
      <Failure text={failure} />
    </Flow>
  );
}

const TICK_MS = 100;

function Countdown({
  startedAt,
  hasSound,
  name,
  onOver,
  onStop,
}: {
  startedAt: number;
  hasSound: boolean;
  name: string;
  onOver: () => void;
  onStop: () => void;
}) {
  const { t } = useWords();
  const [step, setStep] = useState(() => calibrationStep(0));
  const over = useRef(onOver);
  useScreenOn(true);
  useEffect(() => {
    over.current = onOver;
  }, [onOver]);
  useEffect(() => {
    let last = calibrationStep(0);
    const timer = setInterval(() => {
      const next = calibrationStep(performance.now() - startedAt);
      if (next.name === 'HOLD' && last.name === 'READY') {
        vibrate(300);
        if (hasSound) beep();
      }
      last = next;
      if (next.name !== 'OVER') return setStep(next);
      clearInterval(timer);
      vibrate(300, 150, 300);
      if (hasSound) beep(700);
      over.current();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [startedAt, hasSound]);
  // A hidden page runs no timers in time: nobody knows how the subject stood meanwhile.
  useEffect(() => {
    const hidden = () => {
      if (document.visibilityState === 'hidden') onStop();
    };
    document.addEventListener('visibilitychange', hidden);
    return () => document.removeEventListener('visibilitychange', hidden);
  }, [onStop]);
  const isHolding = step.name === 'HOLD';
  const left = step.name === 'OVER' ? 0 : step.leftMs;
  const share = 1 - left / (isHolding ? HOLD_MS : READY_MS);
  return (
    <Flow
      name={name}
      title={t(isHolding ? 'calibration.hold' : 'calibration.ready')}
      screen={step.name}
      actions={
        <Button look="secondary" onClick={onStop}>
          {t('calibration.stop')}
        </Button>
      }
    >
      <div className={isHolding ? styles.holding : styles.waiting}>
        <span className={styles.seconds} role="timer">
          {Math.ceil(left / 1000)}
        </span>
        <div className={styles.bar} aria-hidden="true">
          <div style={{ width: `${share * 100}%` }} />
        </div>
      </div>
      <p>{t(isHolding ? 'calibration.holdHelp' : 'calibration.readyHelp')}</p>
    </Flow>
  );
}
