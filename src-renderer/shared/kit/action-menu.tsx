/** A button that opens a menu of actions. */
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import styles from './controls.module.css';
import { Button } from './controls.tsx';
import { Icon, type IconName } from './icon.tsx';

export interface Action {
  id: string;
  label: string;
  icon?: IconName;
  isDisabled?: boolean;
  run: () => void;
}

export function ActionMenu({
  label,
  actions,
  name = label,
  isSmall = false,
}: {
  label: string;
  actions: readonly Action[];
  /** Accessible name, where the label alone does not identify the object. */
  name?: string;
  isSmall?: boolean;
}) {
  return (
    <MenuTrigger>
      <Button small={isSmall} aria-label={name}>
        {label}
        <Icon name="down" size={18} />
      </Button>
      <Popover className={styles.popover} placement="bottom end">
        <Menu
          className={styles.menu}
          aria-label={name}
          disabledKeys={actions.filter((action) => action.isDisabled).map(({ id }) => id)}
          onAction={(key) => actions.find(({ id }) => id === key)?.run()}
        >
          {actions.map((action) => (
            <MenuItem key={action.id} id={action.id} textValue={action.label} className={styles.menuItem}>
              <span className={styles.tick}>{action.icon && <Icon name={action.icon} size={16} />}</span>
              {action.label}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
