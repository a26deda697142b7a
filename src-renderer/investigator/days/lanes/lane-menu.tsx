/** Menu of the lanes of a day and their order. The choice is stored and applies to every subject. */
import { useEffect, useRef } from 'react';
import { Checkbox, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { useWords } from '../../../shared/i18n/i18n.ts';
import kit from '../../../shared/kit/controls.module.css';
import { Button, IconButton } from '../../../shared/kit/controls.tsx';
import { Icon } from '../../../shared/kit/icon.tsx';
import { preferences, setPreference } from '../../../shared/preferences.ts';
import { useStore } from '../../../shared/store.ts';
import styles from '../days.module.css';
import { LANE_LABELS, type LaneId, laneOrder } from './lane-styles.ts';

export function LaneMenu() {
  const { t } = useWords();
  const chosen = useStore(preferences);
  const order = laneOrder(chosen.laneOrder);
  const hidden = new Set(chosen.hiddenLanes);
  const isChanged = chosen.laneOrder.length > 0 || hidden.size > 0;

  const list = useRef<HTMLUListElement>(null);
  const moved = useRef<{ id: LaneId; step: -1 | 1 } | null>(null);
  // Restores the focus: a moved row loses it, and so does a button that is disabled at the end of the list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the stored order has changed, because the rows have moved then
  useEffect(() => {
    if (!moved.current) return;
    const { id, step } = moved.current;
    moved.current = null;
    const [up, down] = list.current?.querySelectorAll<HTMLButtonElement>(`[data-lane="${id}"] button`) ?? [];
    const [wanted, other] = step < 0 ? [up, down] : [down, up];
    (wanted?.disabled ? other : wanted)?.focus();
  }, [chosen.laneOrder]);

  function move(id: LaneId, step: -1 | 1) {
    moved.current = { id, step };
    const next = order.filter((other) => other !== id);
    next.splice(order.indexOf(id) + step, 0, id);
    setPreference('laneOrder', next);
  }
  function show(id: LaneId, isShown: boolean) {
    setPreference('hiddenLanes', isShown ? [...hidden].filter((other) => other !== id) : [...hidden, id]);
  }

  return (
    <DialogTrigger>
      <IconButton kind="quiet" icon="rows" label={t('lanes.choose')} />
      <Popover className={kit.popover} placement="bottom end">
        <Dialog aria-label={t('lanes.choose')} className={styles.laneMenu}>
          <h3>{t('lanes.choose')}</h3>
          <ul ref={list}>
            {order.map((id, index) => {
              const name = t(LANE_LABELS[id]);
              return (
                <li key={id} data-lane={id}>
                  <Checkbox
                    className={styles.laneCheck}
                    isSelected={!hidden.has(id)}
                    onChange={(isShown) => show(id, isShown)}
                  >
                    {({ isSelected }) => (
                      <>
                        <span className={styles.box}>{isSelected && <Icon name="check" size={14} />}</span>
                        {name}
                      </>
                    )}
                  </Checkbox>
                  <Button
                    small
                    kind="quiet"
                    icon="up"
                    aria-label={t('lanes.moveUp', { name })}
                    isDisabled={index === 0}
                    onPress={() => move(id, -1)}
                  />
                  <Button
                    small
                    kind="quiet"
                    icon="down"
                    aria-label={t('lanes.moveDown', { name })}
                    isDisabled={index === order.length - 1}
                    onPress={() => move(id, 1)}
                  />
                </li>
              );
            })}
          </ul>
          <Button
            small
            isDisabled={!isChanged}
            onPress={() => {
              setPreference('laneOrder', []);
              setPreference('hiddenLanes', []);
            }}
          >
            {t('lanes.reset')}
          </Button>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
