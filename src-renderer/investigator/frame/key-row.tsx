/** One command in the list of keys. Its key is changed by pressing the new one. */
import { Fragment, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, IconButton, Kbd } from '../../shared/kit/controls.tsx';
import { chooseKeys, forgetKeys, useChosenKeys } from '../commands/chosen-keys.ts';
import type { Command } from '../commands/commands.ts';
import { areSameKeys, keyNames, wordsOfKey } from '../commands/keys.ts';
import styles from './frame.module.css';

export function Keys({ keys }: { keys: readonly string[] }) {
  const { t } = useWords();
  return keys.map((one, index) => (
    <Fragment key={one}>
      {index > 0 && t('keys.or')}
      {keyNames(one).map((name) => (
        <Kbd key={name}>{name}</Kbd>
      ))}
    </Fragment>
  ));
}

/** Captures the next keystroke. Escape, Tab and losing the focus cancel. */
function Capture({ command, all, onDone }: { command: Command; all: readonly Command[]; onDone: () => void }) {
  const { t } = useWords();
  const [problem, setProblem] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return;
    if (event.key === 'Escape') {
      onDone();
      return;
    }
    const words = wordsOfKey(event.nativeEvent);
    if (words === null) {
      setProblem(t('keys.notPossible'));
      return;
    }
    const other = all.find(({ id, keys = [] }) => id !== command.id && keys.some((one) => areSameKeys(one, words)));
    if (other) {
      setProblem(t('keys.taken', { keys: keyNames(words).join(' '), command: other.label }));
      return;
    }
    chooseKeys(command.id, words);
    onDone();
  }
  return (
    <>
      <button
        type="button"
        ref={button}
        className={styles.capture}
        aria-label={t('keys.pressFor', { command: command.label })}
        onKeyDown={onKeyDown}
        onBlur={onDone}
      >
        {t('keys.press')}
      </button>
      <span role="status" className={styles.captureProblem}>
        {problem}
      </span>
    </>
  );
}

export function KeyRow({ command, all }: { command: Command; all: readonly Command[] }) {
  const { t } = useWords();
  const isChosen = useChosenKeys()[command.id] !== undefined;
  const [isChanging, setChanging] = useState(false);
  const change = useRef<HTMLSpanElement>(null);
  const wasChanging = useRef(false);
  useEffect(() => {
    // Return the focus to the button, so that the next key can be changed.
    if (wasChanging.current && !isChanging && document.activeElement === document.body)
      change.current?.querySelector('button')?.focus();
    wasChanging.current = isChanging;
  }, [isChanging]);
  return (
    <div>
      <dt>{command.label}</dt>
      <dd>
        {isChanging ? (
          <Capture command={command} all={all} onDone={() => setChanging(false)} />
        ) : (
          <>
            {command.keys ? <Keys keys={command.keys} /> : t('keys.none')}
            {isChosen && (
              <Button small kind="quiet" onPress={() => forgetKeys(command.id)}>
                {t('keys.reset')}
              </Button>
            )}
            <span ref={change}>
              <IconButton
                small
                kind="quiet"
                icon="pencil"
                label={t('keys.change', { command: command.label })}
                onPress={() => setChanging(true)}
              />
            </span>
          </>
        )}
      </dd>
    </div>
  );
}
