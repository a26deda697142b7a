/** What can be done to the selected rows of a list: a bar after the list, and the same as commands. */
import { useEffect, useRef } from 'react';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { ActionMenu } from '../../shared/kit/action-menu.tsx';
import { Button } from '../../shared/kit/controls.tsx';
import type { IconName } from '../../shared/kit/icon.tsx';
import type { RowSelection } from '../../shared/kit/row-selection.ts';
import { Notice } from '../../shared/kit/state.tsx';
import { useStore } from '../../shared/store.ts';
import { useCommands } from '../commands/commands.ts';
import styles from './bulk.module.css';
import { dropUnanswered, interruptedOf, unansweredChanges } from './unanswered.ts';

export interface BulkAction {
  /** Also the kind under which its requests without an answer are kept. */
  id: string;
  label: string;
  icon?: IconName;
  run: () => void;
}

/** Beyond these, actions are in a menu: the bar is one line in a narrow window. */
const SHOWN_ACTIONS = 3;

const EMPTY: ReadonlySet<string> = new Set();

/** Offers to send again what an earlier run of an action left without an answer. */
function Unanswered({
  kinds,
  known,
  selection,
}: {
  kinds: Readonly<Record<string, string>>;
  known: ReadonlySet<string>;
  selection: RowSelection;
}) {
  const { t } = useWords();
  const { user } = useSession();
  useStore(unansweredChanges);
  return Object.entries(kinds).map(([kind, label]) => {
    // Rows that have not been read yet, or of another study, stay kept: they are offered where they are shown.
    const ids = interruptedOf(user.id, kind, Date.now()).filter((id) => known.has(id));
    return (
      ids.length > 0 && (
        <Notice
          key={kind}
          tone="warn"
          actions={
            <>
              <Button small onPress={() => selection.change(new Set(ids))}>
                {t('bulk.selectUnanswered')}
              </Button>
              <Button small kind="quiet" onPress={() => dropUnanswered(user.id, kind, ids, Date.now())}>
                {t('bulk.dropUnanswered')}
              </Button>
            </>
          }
        >
          {t('bulk.unanswered', { action: label, count: ids.length })}
        </Notice>
      )
    );
  });
}

export function BulkBar({
  selection,
  known,
  shown,
  count,
  hint,
  actions,
  kinds,
  isBusy,
}: {
  selection: RowSelection;
  /** Ids of all rows of the list. */
  known: readonly string[];
  /** Ids of those that the present filter shows. */
  shown: readonly string[];
  /** Names how many of what are selected. */
  count: (count: number) => string;
  hint?: string | false;
  actions: readonly BulkAction[];
  /** Labels of the actions that keep requests without an answer, by id. */
  kinds: Readonly<Record<string, string>>;
  /** An action is under way in a dialog. */
  isBusy: boolean;
}) {
  const { t } = useWords();
  const { ids, lost } = selection;
  const isEmpty = ids.size === 0;
  const clear = () => {
    selection.change(EMPTY);
    // The bar disappears, so the list takes the focus.
    selection.list.current?.focus({ preventScroll: true });
  };
  const wasBusy = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when a dialog closes, whatever else changed
  useEffect(() => {
    const hasClosed = wasBusy.current && !isBusy;
    wasBusy.current = isBusy;
    // The button that opened it is gone with the selection.
    if (!hasClosed || !isEmpty) return undefined;
    const frame = requestAnimationFrame(() => selection.list.current?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(frame);
  }, [isBusy]);
  useCommands([
    {
      id: 'bulk.all',
      label: t('table.selectAll'),
      scope: 'page',
      isEnabled: shown.length > 0,
      run: () => {
        selection.change(new Set([...ids, ...shown]));
        selection.list.current?.focus({ preventScroll: true });
      },
    },
    { id: 'bulk.clear', label: t('bulk.clear'), scope: 'page', isEnabled: !isEmpty, run: clear },
    ...actions.map(({ id, label, run }) => ({
      id: `bulk.${id}`,
      label: t('bulk.command', { action: label, count: ids.size }),
      scope: 'page' as const,
      isEnabled: !isEmpty,
      run,
    })),
  ]);
  const visible = new Set(shown);
  const outOfView = [...ids].filter((id) => !visible.has(id)).length;
  return (
    <>
      {!isBusy && <Unanswered kinds={kinds} known={new Set(known)} selection={selection} />}
      {/* Always in the document: a status that appears with its text is not announced. */}
      <span role="status" className="visually-hidden">
        {isEmpty ? '' : count(ids.size)} {lost > 0 && t('bulk.lost', { count: lost })}
      </span>
      {(!isEmpty || lost > 0) && (
        <section
          className={styles.bar}
          aria-label={t('bulk.bar')}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && !event.defaultPrevented && event.currentTarget.contains(event.target as Node))
              clear();
          }}
        >
          <div className={styles.count}>
            <strong>{count(ids.size)}</strong>
            {outOfView > 0 && <small>{t('bulk.outOfView', { count: outOfView })}</small>}
            {lost > 0 && <small>{t('bulk.lost', { count: lost })}</small>}
            {hint && <small>{hint}</small>}
          </div>
          {!isEmpty &&
            actions.slice(0, SHOWN_ACTIONS).map(({ id, label, icon, run }) => (
              <Button key={id} {...(icon && { icon })} onPress={run}>
                {label}
              </Button>
            ))}
          {!isEmpty && actions.length > SHOWN_ACTIONS && (
            <ActionMenu label={t('bulk.more')} actions={actions.slice(SHOWN_ACTIONS)} />
          )}
          <Button kind="quiet" icon="close" onPress={clear}>
            {t('bulk.clear')}
          </Button>
        </section>
      )}
    </>
  );
}
