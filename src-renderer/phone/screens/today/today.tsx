/** Today: what is to be done now in one tap, what follows, what is done. */
import { type ReactNode, useState } from 'react';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Emblem } from '../../kit/emblem.tsx';
import { Icon } from '../../kit/icon.tsx';
import { Failure, Notice } from '../../kit/notice.tsx';
import { Page, Section, Stack } from '../../kit/page.tsx';
import { hrefOf, navigate, pathOf } from '../../kit/route.ts';
import { useAction } from '../../kit/use-action.ts';
import { useActions, useNow, usePhone } from '../../kit/use-phone.ts';
import type { Draft, DueTask } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import { noteEnded } from '../task/ended-drafts.ts';
import { type DayParts, nextDay, otherDrafts, partOfDay, partsOf } from './day-parts.ts';
import { TaskRow } from './task-row.tsx';
import styles from './today.module.css';

export function TodayScreen() {
  const { t, format } = useWords();
  const phone = usePhone();
  const now = useNow();
  const { today, timeZone } = phone;
  const day = phone.days.find(({ date }) => date === today);
  const tasks = day?.tasks ?? [];
  const parts = partsOf(phone.isRunning ? tasks : tasks.filter(({ state }) => isFinished(state)));
  const drafts = otherDrafts(phone.drafts, tasks);
  const greeting = t(`today.greeting.${partOfDay(format.clock(now, timeZone))}`);
  const dayText = day?.dayNumber === undefined ? '' : ` · ${t('today.dayNumber', { number: day.dayNumber + 1 })}`;
  return (
    <Page title={greeting} screen="today" lead={`${format.date(today)}${dayText}`} head={<DayProgress parts={parts} />}>
      <DayState />
      {drafts.map((draft) => (
        <OldDraft key={draft.id} draft={draft} />
      ))}
      {parts.now.length > 0 && (
        <Section title={t('today.now')}>
          <ul className={styles.list}>
            {parts.now.map((task) => (
              <li key={task.taskId}>
                <NowCard task={task} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Rows title={t('today.later')} tasks={parts.later} />
      <Rows title={t('today.done')} tasks={parts.done} />
      <Rows title={t('today.missed')} tasks={parts.missed} help={t('today.missedHelp')} />
      <ButtonLink to="/week" icon="calendar">
        {t('today.toWeek')}
      </ButtonLink>
    </Page>
  );
}

const isFinished = (state: DueTask['state']): boolean => state === 'DONE' || state === 'WAITING_TO_SEND';

/** One part for each task of the day, filled when it is done. */
function DayProgress({ parts }: { parts: DayParts }) {
  const { t } = useWords();
  const done = parts.done.length;
  const total = done + parts.now.length + parts.later.length + parts.missed.length;
  if (total === 0) return null;
  return (
    <div className={styles.progress}>
      <div className={styles.segments} aria-hidden="true">
        {Array.from({ length: total }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts are all alike
          <span key={index} className={index < done ? styles.filled : undefined} />
        ))}
      </div>
      <p>{t('today.doneOf', { done, total })}</p>
    </div>
  );
}

function Rows({ title, tasks, help }: { title: string; tasks: readonly DueTask[]; help?: string }) {
  const { today } = usePhone();
  if (tasks.length === 0) return null;
  return (
    <Section title={title}>
      {help && <p className={styles.help}>{help}</p>}
      <ul className={styles.rows}>
        {tasks.map((task) => (
          <li key={task.taskId}>
            <TaskRow task={task} date={today} opens={task.state === 'LATER' || task.state === 'MISSED'} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The sentence of a day on which nothing is to be done now, with the reason. */
function DayState() {
  const { t, format, sentences } = useWords();
  const { days, today, isRunning, drafts } = usePhone();
  const day = days.find(({ date }) => date === today);
  const tasks = day?.tasks ?? [];
  const parts = partsOf(tasks);
  const next = nextDay(days, today);
  const nextText = next ? t('today.nextDay', { date: format.shortDate(next.date) }) : '';
  if (!isRunning) {
    const hasBegun = days.some(({ date, dayNumber }) => date < today && dayNumber !== undefined);
    return (
      <StateCard icon="info" title={t(hasBegun ? 'today.ended' : 'today.notStarted')}>
        {hasBegun ? t('today.endedHelp') : sentences(t('today.notStartedHelp'), nextText)}
      </StateCard>
    );
  }
  if (parts.now.length > 0 || Object.keys(drafts).length > 0) return null;
  if (tasks.length === 0)
    return (
      <StateCard icon="today" title={t('today.none')}>
        {sentences(t('today.noneHelp'), nextText)}
      </StateCard>
    );
  if (parts.later.length > 0)
    return (
      <StateCard icon="clock" title={t('today.nothingNow')}>
        {t('today.nothingNowHelp')}
      </StateCard>
    );
  if (parts.done.length === 0) return null;
  return (
    <StateCard icon="check" title={t('today.allDone')}>
      {nextText}
    </StateCard>
  );
}

function StateCard({
  icon,
  title,
  children,
}: {
  icon: 'info' | 'today' | 'clock' | 'check';
  title: string;
  children: ReactNode;
}) {
  return (
    <div className={styles.state}>
      <Emblem icon={icon} tone={icon === 'check' ? 'good' : 'accent'} />
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  );
}

function NowCard({ task }: { task: DueTask }) {
  const { t, format } = useWords();
  const phone = usePhone();
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  const [isAsking, setAsking] = useState(false);
  const details = phone.tasks[task.taskId];
  const isStarted = task.state === 'STARTED' && task.draftId !== undefined;
  const facts = [
    task.window && t('today.until', { time: task.window.end }),
    details?.durationSec !== undefined && format.duration(details.durationSec),
    details && details.questions.length > 0 && t('today.questions', { count: details.questions.length }),
  ].filter((fact) => typeof fact === 'string');
  const begin = () => run(async () => navigate(pathOf('draft', await actions.open(task.taskId, phone.today))));
  return (
    <article className={styles.card}>
      <div className={styles.cardHead}>
        <span className={styles.kind}>
          <Icon name={task.type === 'diary' ? 'survey' : 'activity'} size={28} />
        </span>
        <div className={styles.cardText}>
          <h3>{task.displayName}</h3>
          <p className={styles.facts}>
            {isStarted ? t('today.halfDone') : facts.map((fact) => <span key={fact}>{fact}</span>)}
          </p>
        </div>
      </div>
      <Failure text={failure} />
      <Button look="primary" aria-disabled={isBusy} onClick={begin}>
        {isStarted ? t('today.continue') : t('today.begin')}
        <span className="visually-hidden"> {task.displayName}</span>
      </Button>
      {isStarted && (
        <Button look="quiet" onClick={() => setAsking(true)}>
          {t('today.discard')}
        </Button>
      )}
      {isAsking && <DiscardDraft draftId={task.draftId ?? ''} onClose={() => setAsking(false)} />}
    </article>
  );
}

export function DiscardDraft({ draftId, onClose }: { draftId: string; onClose: () => void }) {
  const { t } = useWords();
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  return (
    <Confirm
      title={t('today.discardTitle')}
      action={t('today.discard')}
      isBusy={isBusy}
      onConfirm={async () => {
        if (!(await run(() => actions.discard(draftId)))) return;
        noteEnded(draftId);
        onClose();
      }}
      onClose={onClose}
    >
      <p>{t('today.discardHelp')}</p>
      <Failure text={failure} />
    </Confirm>
  );
}

/** Half finished on another day: it can still be finished, and keeps the date on which it was opened. */
function OldDraft({ draft }: { draft: Draft }) {
  const { t, format } = useWords();
  const { tasks } = usePhone();
  const [isAsking, setAsking] = useState(false);
  const name = tasks[draft.taskId]?.displayName;
  if (name === undefined) return null;
  return (
    <Notice tone="warn" icon="survey" title={name}>
      {t('today.oldDraft', { date: format.shortDate(draft.date) })}
      <Stack gap="small">
        <a className={styles.textLink} href={hrefOf(pathOf('draft', draft.id))}>
          {t('today.continue')}
        </a>
        <button type="button" className={styles.textLink} onClick={() => setAsking(true)}>
          {t('today.discard')}
        </button>
      </Stack>
      {isAsking && <DiscardDraft draftId={draft.id} onClose={() => setAsking(false)} />}
    </Notice>
  );
}
