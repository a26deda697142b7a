/** Beside the signals while they are corrected: why, the keys, what waits, and every correction with its author. */
import { useId, useState } from 'react';
import type { Correction } from '../../../../src-server/api/contract/index.ts';
import { SPAN_CORRECTIONS } from '../../../../src-server/vocabulary/corrections.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field, Kbd } from '../../../shared/kit/controls.tsx';
import { ErrorNotice, errorSentence, Notice } from '../../../shared/kit/state.tsx';
import { useSelected, useStore } from '../../../shared/store.ts';
import { preciseClock } from '../../../shared/time/local-day.ts';
import { keyNames } from '../../commands/keys.ts';
import { useNeedsReason } from '../../labels/label-rules.ts';
import { spanOf } from '../data/measure.ts';
import styles from '../viewer.module.css';
import { zoomCommands } from '../zoom.ts';
import { correctionCommands } from './commands.ts';
import type { Editing } from './editing.ts';

/** The newest are shown; all are in exports and in the history. */
const MOST_SHOWN = 200;

/** Asked once per sitting. */
function ReasonForm({ editing, studyId, onBegin }: { editing: Editing; studyId: string; onBegin: () => void }) {
  const { t } = useWords();
  const [text, setText] = useState('');
  const isNeeded = useNeedsReason(studyId);
  const isReady = !isNeeded || text.trim() !== '';
  return (
    <form
      className={styles.labelForm}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady) return;
        editing.reason.set(text.trim());
        onBegin();
      }}
    >
      <p className={styles.hint}>{t(isNeeded ? 'correct.reasonNeeded' : 'correct.reasonHelp')}</p>
      <Field label={t('correct.reason')} value={text} onChange={setText} maxLength={1000} autoFocus />
      <Button type="submit" kind="primary" small isDisabled={!isReady}>
        {t('correct.begin')}
      </Button>
    </form>
  );
}

function Keys({ editing }: { editing: Editing }) {
  const { t } = useWords();
  return (
    <details className={styles.keys}>
      <summary>{t('correct.keys')}</summary>
      <dl>
        {correctionCommands(editing, t).map(({ id, label, keys = [] }) => (
          <div key={id}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{keyNames(key).join(' ')}</Kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** What the span between the calipers was. */
function SpanButtons({ editing }: { editing: Editing }) {
  const { t } = useWords();
  const hasSpan = useSelected(editing.model.state, ({ calipers }) => spanOf(calipers) !== null);
  return (
    <fieldset className={styles.spanKinds}>
      <legend>{t('correct.span')}</legend>
      {(['EXCLUDE', ...SPAN_CORRECTIONS] as const).map((kind) => (
        <Button key={kind} small isDisabled={!hasSpan} onPress={() => editing.span(kind)}>
          {t(`correct.kinds.${kind}`)}
        </Button>
      ))}
      {!hasSpan && <p className={styles.hint}>{t('correct.spanHelp')}</p>}
    </fieldset>
  );
}

/** What has not reached the site, and what it refused. */
function Waiting({ editing }: { editing: Editing }) {
  const { t, format, language } = useWords();
  const { waiting, refused, error } = useStore(editing.queue.state);
  const count = waiting.length - refused.length;
  return (
    <>
      <p className={styles.hint} role="status">
        {count === 0 ? t('correct.allSaved') : t('correct.waiting', { count, number: format.number(count) })}
      </p>
      {error && count > 0 && <ErrorNotice error={error} onRetry={() => editing.queue.retry()} />}
      {refused.map(({ item, error: why }) => (
        <Notice
          key={item.body.id}
          tone="bad"
          actions={
            <Button small onPress={() => editing.queue.discard(item.body.id)}>
              {t('correct.discard')}
            </Button>
          }
        >
          {errorSentence(why, t, language)}
        </Notice>
      ))}
    </>
  );
}

function Row({
  editing,
  item,
  timeZone,
  mayCorrect,
}: {
  editing: Editing;
  item: Correction;
  timeZone: string;
  mayCorrect: boolean;
}) {
  const { t, format } = useWords();
  const { kind, code, startTs, stopTs, authorName, createdTs, reason, isInForce, lastId, steps } = item;
  const isTurning = useSelected(editing.queue.state, ({ waiting }) =>
    waiting.some(({ body }) => body.undoes === lastId),
  );
  const last = steps.at(-1);
  const name = `${t(`correct.kinds.${kind}`)}${code === undefined ? '' : ` ${code}`}`;
  return (
    <li data-undone={!isInForce || undefined}>
      <Button
        kind="quiet"
        className={styles.labelRow}
        onPress={() => {
          zoomCommands(editing.model).show((startTs + stopTs) / 2);
          if (item.timeUs !== undefined) editing.select(item.toUs ?? item.timeUs);
        }}
      >
        <strong>{name}</strong>
        <span>{preciseClock((item.toUs ?? item.timeUs ?? startTs * 1000) / 1000, timeZone).clock}</span>
        <small>
          {authorName} · {format.dateTime(createdTs, timeZone)}
          {reason !== undefined && ` · ${reason}`}
        </small>
        {last && (
          <small>
            {t(isInForce ? 'correct.redoneBy' : 'correct.undoneBy', {
              name: last.authorName ?? '',
              time: format.dateTime(last.createdTs, timeZone),
            })}
          </small>
        )}
      </Button>
      {mayCorrect && (
        <Button small isDisabled={isTurning} onPress={() => editing.turn(lastId)}>
          {t(isInForce ? 'correct.undoOne' : 'correct.redoOne')}
        </Button>
      )}
    </li>
  );
}

export function CorrectionsPanel({
  editing,
  items,
  studyId,
  timeZone,
  mayCorrect,
  onBegin,
}: {
  editing: Editing;
  items: readonly Correction[];
  studyId: string;
  timeZone: string;
  mayCorrect: boolean;
  /** The reason is given: the keys act from now on. */
  onBegin: () => void;
}) {
  const { t, format } = useWords();
  const title = useId();
  const isOn = useSelected(editing.model.state, ({ mode }) => mode === 'correct');
  const reason = useStore(editing.reason);
  const waiting = useSelected(editing.queue.state, (state) => state.waiting.length);
  if (!isOn && items.length === 0 && waiting === 0) return null;
  const shown = items.slice(-MOST_SHOWN).reverse();
  return (
    <section className={styles.corrections} aria-labelledby={title}>
      <h2 id={title}>{t('correct.title', { number: format.number(items.length) })}</h2>
      {isOn && reason === null && <ReasonForm {...{ editing, studyId, onBegin }} />}
      {isOn && reason !== null && (
        <>
          {reason !== '' && <p className={styles.hint}>{t('correct.because', { reason })}</p>}
          <Keys editing={editing} />
          <SpanButtons editing={editing} />
        </>
      )}
      {(isOn || waiting > 0) && <Waiting editing={editing} />}
      <ol className={styles.correctionList}>
        {shown.map((item) => (
          <Row key={item.id} {...{ editing, item, timeZone }} mayCorrect={mayCorrect && isOn && reason !== null} />
        ))}
      </ol>
      {items.length > MOST_SHOWN && (
        <p className={styles.hint}>{t('correct.newest', { number: format.number(MOST_SHOWN) })}</p>
      )}
    </section>
  );
}
