/**
 * One action on many rows: says beforehand how many it changes and which it cannot, does it row by row, and shows the outcome of each.
 * What failed or was not answered can be tried again, with the same request for each row, so that nothing happens twice.
 */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill } from '../../shared/kit/controls.tsx';
import { FormDialog, InfoDialog, useCheckedSubmit } from '../../shared/kit/form-dialog.tsx';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import { errorSentence, Notice } from '../../shared/kit/state.tsx';
import { useStore } from '../../shared/store.ts';
import { Announced } from './announced.tsx';
import styles from './bulk.module.css';
import { type Outcome, runEach } from './run-each.ts';
import { beginRun, dropUnanswered, isUnderWay, rowsUnderWay, unansweredChanges, unansweredOf } from './unanswered.ts';

export interface BulkRow {
  id: string;
  name: string;
  /** Why the action cannot change this row, by the rule of the action on one row. */
  refusal?: string | undefined;
}

type Outcomes = ReadonlyMap<string, Outcome>;

const isOver = (outcome: Outcome | undefined) =>
  outcome?.kind === 'done' || outcome?.kind === 'unchanged' || outcome?.kind === 'earlier';

/** The names of rows, each with what is to say about it. */
function Rows({ label, rows }: { label: string; rows: readonly { id: string; name: string; says?: ReactNode }[] }) {
  return (
    <div className={styles.rows}>
      <h3>{label}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section aria-label={label} tabIndex={0}>
        <ul data-plain={rows.every(({ says }) => says === undefined) || undefined}>
          {rows.map(({ id, name, says }) => (
            <li key={id}>
              <strong>{name}</strong>
              {says}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

/** What became of each row, those that need something first. */
function OutcomeRows({ rows, outcomes }: { rows: readonly BulkRow[]; outcomes: Outcomes }) {
  const { t, language } = useWords();
  const saysOf = (outcome: Outcome | undefined): ReactNode => {
    switch (outcome?.kind) {
      case undefined:
        return <Pill>{t('bulk.outcome.waiting')}</Pill>;
      case 'done':
        return <Pill tone="good">{t('bulk.outcome.done')}</Pill>;
      case 'unchanged':
        return (
          <>
            <Pill tone="good">{t('bulk.outcome.unchanged')}</Pill> <span>{outcome.text}</span>
          </>
        );
      case 'earlier':
        return (
          <>
            <Pill tone="warn">{t('bulk.outcome.earlier')}</Pill> <span>{t('bulk.savedEarlier')}</span>
          </>
        );
      case 'failed':
        return (
          <>
            <Pill tone="bad">{t('bulk.outcome.failed')}</Pill> <span>{errorSentence(outcome.error, t, language)}</span>
          </>
        );
      case 'unknown':
        return (
          <>
            <Pill tone="warn">{t('bulk.outcome.unknown')}</Pill>{' '}
            <span>{errorSentence(outcome.error, t, language)}</span>
          </>
        );
    }
  };
  const urgency = ({ id }: BulkRow) => {
    const outcome = outcomes.get(id);
    if (!outcome) return 2;
    return outcome.kind === 'earlier' ? 1 : isOver(outcome) ? 3 : 0;
  };
  return (
    <Rows
      label={t('bulk.outcomes')}
      rows={[...rows]
        .sort((a, b) => urgency(a) - urgency(b))
        .map(({ id, name }) => ({ id, name, says: saysOf(outcomes.get(id)) }))}
    />
  );
}

/** Whether the component is gone: then no further row begins. */
function useIsGone() {
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  return isGone;
}

/** Runs the action over rows, and over those that are left again. */
function useBulkRun({ kind, act, topics, onDone }: Pick<BulkProps, 'kind' | 'act' | 'topics' | 'onDone'>) {
  const { user } = useSession();
  const queries = useQueryClient();
  const isGone = useIsGone();
  /** One for each row however often its request is repeated. */
  const requestIds = useRef(new Map<string, string>());
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const [isRunning, setRunning] = useState(false);
  const run = async (ids: readonly string[]) => {
    const nowMs = Date.now();
    // Also of an earlier dialog: with a new id, what the site saved without an answer would be saved again.
    const unanswered = unansweredOf(user.id, kind, nowMs);
    for (const id of ids) {
      requestIds.current.set(id, requestIds.current.get(id) ?? unanswered[id] ?? crypto.randomUUID());
    }
    const requestOf = (id: string) => requestIds.current.get(id)!;
    const kept = beginRun(user.id, kind, Object.fromEntries(ids.map((id) => [id, requestOf(id)])), nowMs);
    setOutcomes((old) => new Map([...old].filter(([id]) => !ids.includes(id))));
    setRunning(true);
    await runEach(
      ids,
      (id) => {
        kept.begins(id);
        return act(id, requestOf(id));
      },
      (id, outcome) => {
        kept.ends(id, outcome.kind !== 'unknown');
        if (isOver(outcome)) onDone(id);
        setOutcomes((old) => new Map(old).set(id, outcome));
      },
      () => isGone.current,
    );
    kept.over();
    setRunning(false);
    for (const topic of topics) void queries.invalidateQueries({ queryKey: [topic] });
  };
  return { outcomes, isRunning, run: (ids: readonly string[]) => void run(ids) };
}

interface BulkProps {
  /** Of the action, under which requests without an answer are kept. */
  kind: string;
  title: string;
  intro?: ReactNode;
  submitLabel: (count: number) => string;
  rows: readonly BulkRow[];
  /** Whether the fields can be sent as they are. */
  isValid?: boolean;
  /** Does the action to one row; returns why nothing was left to do. A repeated request id must do nothing twice. */
  act: (id: string, requestId: string) => Promise<string | undefined>;
  /** What to read again afterwards. */
  topics: readonly string[];
  /** A row needs nothing more. */
  onDone: (id: string) => void;
  onClose: () => void;
  /** Fields; `wasTried` after the first submit: show what is missing. */
  children?: (wasTried: boolean) => ReactNode;
}

/** Says which rows have no result of an earlier run, whose requests this one repeats. */
function Repeated({ kind, rows }: { kind: string; rows: readonly BulkRow[] }) {
  const { t } = useWords();
  const { user } = useSession();
  useStore(unansweredChanges);
  const unanswered = unansweredOf(user.id, kind, Date.now());
  const ids = rows.flatMap(({ id }) => (unanswered[id] === undefined ? [] : [id]));
  if (ids.length === 0) return null;
  return (
    <Notice
      tone="warn"
      actions={
        <Button small kind="quiet" onPress={() => dropUnanswered(user.id, kind, ids, Date.now())}>
          {t('bulk.dropUnanswered')}
        </Button>
      }
    >
      {t('bulk.repeated', { count: ids.length })}
    </Notice>
  );
}

export function BulkDialog({
  title,
  intro,
  submitLabel,
  rows,
  isValid = true,
  onClose,
  children,
  ...action
}: BulkProps) {
  const { t, format } = useWords();
  const { outcomes, isRunning, run } = useBulkRun(action);
  const underWay = useStore(rowsUnderWay);
  const [isStopping, setStopping] = useState(false);
  /** The rows that the person confirmed. Later changes of the list do not add or drop any. */
  const [confirmed, setConfirmed] = useState<readonly BulkRow[]>();
  const judged = rows.map(
    (row): BulkRow =>
      // An earlier dialog was closed before the answer.
      isUnderWay(underWay, action.kind, row.id) ? { ...row, refusal: t('bulk.refusal.underWay') } : row,
  );
  const [able, unable] = [judged.filter(({ refusal }) => !refusal), judged.filter(({ refusal }) => refusal)];
  const left = (confirmed ?? able).filter(({ id }) => !isOver(outcomes.get(id)));
  const { wasTried, onSubmit } = useCheckedSubmit(isValid, () => {
    setConfirmed(confirmed ?? able);
    run(left.map(({ id }) => id));
  });
  const total = confirmed?.length ?? 0;
  const saved = total - left.length;
  const progress = t('bulk.progress', { count: total, done: format.number(saved), total: format.number(total) });
  if (confirmed && left.length === 0 && !isRunning) {
    return (
      <InfoDialog key="done" title={title} onClose={onClose}>
        <Notice tone={[...outcomes.values()].some(({ kind }) => kind === 'earlier') ? 'warn' : 'good'}>
          {progress}
        </Notice>
        <Announced text={progress} isEnd />
        <OutcomeRows rows={confirmed} outcomes={outcomes} />
      </InfoDialog>
    );
  }
  const hasUnknown = left.some(({ id }) => outcomes.get(id)?.kind === 'unknown');
  const form = (
    <FormDialog
      key="form"
      title={title}
      intro={intro}
      submitLabel={confirmed ? t('bulk.again', { count: left.length }) : submitLabel(able.length)}
      mutation={{ isPending: isRunning, error: null }}
      isDisabled={left.length === 0}
      onSubmit={onSubmit}
      onClose={() => (isRunning ? setStopping(true) : onClose())}
    >
      <Announced text={confirmed ? progress : ''} isEnd={!isRunning} />
      {confirmed && isRunning && (
        <div className={styles.progress}>
          <ProgressBar label={title} done={saved} total={total} />
          <small>{progress}</small>
        </div>
      )}
      {confirmed && !isRunning && (
        <Notice tone={hasUnknown ? 'warn' : 'bad'}>
          {progress} {t(hasUnknown ? 'bulk.someUnknown' : 'bulk.someFailed')}
        </Notice>
      )}
      {!confirmed && <Repeated kind={action.kind} rows={able} />}
      {children?.(wasTried)}
      {confirmed ? (
        <OutcomeRows rows={confirmed} outcomes={outcomes} />
      ) : (
        <>
          {able.length === 0 && <Notice tone="warn">{t('bulk.noneAble')}</Notice>}
          {able.length > 0 && <Rows label={t('bulk.able', { count: able.length, all: rows.length })} rows={able} />}
          {unable.length > 0 && (
            <Rows
              label={t('bulk.unable', { count: unable.length })}
              rows={unable.map(({ refusal, ...row }) => ({ ...row, says: <span>{refusal}</span> }))}
            />
          )}
        </>
      )}
    </FormDialog>
  );
  return (
    <>
      {form}
      {isStopping && isRunning && (
        <FormDialog
          title={t('bulk.stop.title')}
          intro={t('bulk.stop.intro', { count: left.length })}
          submitLabel={t('bulk.stop.submit')}
          onSubmit={onClose}
          onClose={() => setStopping(false)}
        />
      )}
    </>
  );
}
