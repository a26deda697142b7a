import type { KeyboardEvent } from 'react';
import { BOX } from './row-selection.ts';
import styles from './table.module.css';

/** The checkbox of a row, or of all rows; the label around it makes the target as large as the cell. */
export function SelectBox({
  label,
  isSelected,
  isPartly = false,
  isOfRow = true,
  onChange,
  onKeyDown,
}: {
  label: string;
  isSelected: boolean;
  isPartly?: boolean;
  /** False for the checkbox of all rows. */
  isOfRow?: boolean;
  /** `isRange`: Shift was held. */
  onChange: (isRange: boolean) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
}) {
  return (
    <label className={styles.box}>
      <input
        type="checkbox"
        aria-label={label}
        checked={isSelected}
        ref={(input) => {
          if (input) input.indeterminate = isPartly;
        }}
        onChange={({ nativeEvent }) => onChange(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        onKeyDown={onKeyDown}
        {...(isOfRow && BOX)}
      />
    </label>
  );
}
