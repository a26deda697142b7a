/** The columns of a table that a person wants to see, remembered on this computer. */
import { useMemo } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { useWords } from '../i18n/i18n.ts';
import { preferences, setPreference } from '../preferences.ts';
import { useStore } from '../store.ts';
import styles from './controls.module.css';
import { Button } from './controls.tsx';
import type { Column } from './data-table.tsx';
import { Icon } from './icon.tsx';

const NONE: readonly string[] = [];

/**
 * Returns the ids of the columns that a choice hides. The first column names the row and stays; so does one without a name.
 *
 * @param hidden those that were hidden before; columns that the table does not have now, such as the fields of another study, stay so
 */
export function hiddenAfter(
  columns: readonly Pick<Column<never>, 'id'>[],
  shown: ReadonlySet<string>,
  hidden: readonly string[],
): string[] {
  const present = new Set(columns.map(({ id }) => id));
  return [
    ...hidden.filter((id) => !present.has(id)),
    ...columns.slice(1).flatMap(({ id }) => (shown.has(id) ? [] : [id])),
  ];
}

/**
 * Returns the columns to show, and the button that chooses them.
 *
 * @param table names the table in the preferences; a column that is new in a later version is shown
 */
export function useColumnChoice<Row>(table: string, columns: Column<Row>[]) {
  const { t } = useWords();
  const chosen = useStore(preferences).hiddenColumns;
  const hidden = chosen[table] ?? NONE;
  const shown = useMemo(
    () => columns.filter(({ id }, index) => index === 0 || !hidden.includes(id)),
    [columns, hidden],
  );
  const named = columns.filter(({ header }) => header !== '');
  const hide = (ids: string[]) => {
    const { [table]: _, ...others } = chosen;
    setPreference('hiddenColumns', ids.length > 0 ? { ...others, [table]: ids } : others);
  };
  const chooser = (
    <MenuTrigger>
      <Button>
        {t('table.columns')}
        {shown.length < columns.length && ` ${t('table.columnsShown', { shown: shown.length, all: columns.length })}`}
        <Icon name="down" size={18} />
      </Button>
      <Popover className={styles.popover} placement="bottom end">
        <Menu
          className={styles.menu}
          aria-label={t('table.columns')}
          selectionMode="multiple"
          selectedKeys={shown.map(({ id }) => id)}
          disabledKeys={columns.slice(0, 1).map(({ id }) => id)}
          onSelectionChange={(keys) => {
            const kept = new Set(keys === 'all' ? columns.map(({ id }) => id) : [...keys].map(String));
            // A column without a name, such as that of a row's actions, is not in the menu.
            for (const { id, header } of columns) if (header === '') kept.add(id);
            hide(hiddenAfter(columns, kept, hidden));
          }}
        >
          {named.map(({ id, header }) => (
            <MenuItem key={id} id={id} textValue={header} className={styles.menuItem}>
              {({ isSelected }) => (
                <>
                  <span className={styles.tick}>{isSelected && <Icon name="check" size={16} />}</span>
                  {header}
                </>
              )}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
  return { columns: shown, chooser };
}
