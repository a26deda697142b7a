/** An activity: instructions, the timer with pause, the end by vibration, then its questions. */
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { useScreenOn, vibrate } from '../../kit/device.ts';
import { Failure, Notice } from '../../kit/notice.tsx';
import { Card } from '../../kit/page.tsx';
import { navigate } from '../../kit/route.ts';
import { useAction } from '../../kit/use-action.ts';
import { useActions, useNow, usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import { Flow } from './flow.tsx';
import { type StepProps, stepPath } from './steps.ts';
import styles from './task.module.css';
import { elapsedMs, leftMs } from './timer.ts';
import { TimerDial } from './timer-dial.tsx';

export function ActivityScreen({ draft, task }: StepProps) {
  const { t, format, sentences } = useWords();
  const { reach } = usePhone();
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  const [isAsking, setAsking] = useState(false);
  const now = useNow(draft.runningSinceTs === undefined ? 30_000 : 250);
  const { durationSec } = task;
  const isRunning = draft.runningSinceTs !== undefined;
  const hasStarted = draft.startedTs !== undefined;
  const left = durationSec === undefined ? undefined : leftMs(draft, durationSec, now);
  const isOver = hasStarted && left === 0;
  useScreenOn(isRunning && !isOver);
  useEndSignal(isOver && isRunning);

  const finish = async () => {
    if (await run(() => actions.stopTimer(draft.id)))
      navigate(stepPath(draft.id, task.questions.length > 0 ? 0 : 'check'), { replaces: true });
  };
  if (!hasStarted)
    return (
      <Flow
        name={t('activity.kind')}
        title={task.displayName}
        actions={
          <Button
            look="primary"
            icon="play"
            aria-disabled={isBusy}
            onClick={() => run(() => actions.startTimer(draft.id))}
          >
            {t('activity.start')}
          </Button>
        }
      >
        {task.instructions && (
          <Card>
            <p className={styles.instructions}>{task.instructions}</p>
          </Card>
        )}
        {durationSec !== undefined && (
          <Notice icon="clock">{t('activity.takes', { duration: format.duration(durationSec) })}</Notice>
        )}
        <p className={styles.muted}>
          {sentences(
            t(reach.canKeepScreenOn ? 'activity.screenStaysOn' : 'activity.screenMayTurnOff'),
            reach.canVibrate && durationSec !== undefined && t('activity.willVibrate'),
          )}
        </p>
        <Failure text={failure} />
      </Flow>
    );
  const canEndNow = durationSec === undefined || isOver;
  return (
    <Flow
      name={t('activity.kind')}
      title={task.displayName}
      screen="timer"
      actions={
        <>
          {isOver || (durationSec === undefined && isRunning) ? (
            <Button look="primary" icon="check" aria-disabled={isBusy} onClick={finish}>
              {t('activity.finish')}
            </Button>
          ) : (
            <Button
              look="primary"
              icon={isRunning ? 'pause' : 'play'}
              aria-disabled={isBusy}
              onClick={() => run(() => (isRunning ? actions.pauseTimer(draft.id) : actions.startTimer(draft.id)))}
            >
              {t(isRunning ? 'activity.pause' : 'activity.resume')}
            </Button>
          )}
          {!canEndNow && (
            <Button look="quiet" onClick={() => setAsking(true)}>
              {t('activity.endEarly')}
            </Button>
          )}
          {durationSec === undefined && isRunning && (
            <Button look="quiet" aria-disabled={isBusy} onClick={() => run(() => actions.pauseTimer(draft.id))}>
              {t('activity.pause')}
            </Button>
          )}
        </>
      }
    >
      <TimerDial elapsed={elapsedMs(draft, now)} left={left} durationSec={durationSec} isRunning={isRunning} />
      {isOver && <Notice tone="good">{t('activity.over')}</Notice>}
      {!isOver && task.instructions && <p className={styles.muted}>{task.instructions}</p>}
      <Failure text={failure} />
      {isAsking && (
        <Confirm
          title={t('activity.endEarlyTitle')}
          action={t('activity.endEarly')}
          isBusy={isBusy}
          onConfirm={finish}
          onClose={() => setAsking(false)}
        >
          <p>{t('activity.endEarlyHelp')}</p>
        </Confirm>
      )}
    </Flow>
  );
}

/** Vibrates once when the time is over, also when that happened while the screen was off. */
function useEndSignal(isOver: boolean): void {
  const hasSignalled = useRef(false);
  useEffect(() => {
    if (!isOver || hasSignalled.current) return;
    hasSignalled.current = true;
    vibrate(400, 150, 400, 150, 600);
  }, [isOver]);
}
