/**
 * A number of a range. A short range has a button for each number; a long one a slider, and buttons for exact steps, because a
 * slider alone asks for a steady hand. Nothing is chosen before the subject does so.
 */
import { type CSSProperties, useId } from 'react';
import { useWords } from '../../words/words.ts';
import { bigStep, type Range, shortRange, steppedValue } from './answers.ts';
import type { InputProps } from './input-props.ts';
import styles from './question.module.css';

/** Even rows: 0 to 10 stand in three rows of four. */
const columnsOf = (count: number): number => (count <= 5 ? count : count === 6 || count === 9 ? 3 : 4);

export function RangeInput({ question, values, onChange, range }: InputProps & { range: Range }) {
  const { t, format } = useWords();
  const name = useId();
  const [text] = values;
  const value = text === undefined || text === '' ? undefined : Number(text);
  const middle = steppedValue(range, range.low, Math.round((range.high - range.low) / range.step / 2));
  const numbers = shortRange(range);
  if (numbers)
    return (
      <fieldset className={styles.numbers} style={{ '--columns': columnsOf(numbers.length) } as CSSProperties}>
        <legend className="visually-hidden">{question.text}</legend>
        {numbers.map((number) => (
          <label key={number} className={styles.number}>
            <input type="radio" name={name} checked={value === number} onChange={() => onChange([String(number)])} />
            <span>{number}</span>
          </label>
        ))}
      </fieldset>
    );
  const step = (steps: number) => onChange([String(value === undefined ? middle : steppedValue(range, value, steps))]);
  const big = bigStep(range);
  const steps = big === undefined ? [-1, 1] : [-big, -1, 1, big];
  return (
    <div className={styles.slider}>
      <output className={styles.value} aria-live="off">
        {value ?? <span className={styles.unset}>{t('survey.rangeUnset')}</span>}
      </output>
      <div className={value === undefined ? styles.isUnset : undefined}>
        <input
          type="range"
          aria-label={question.text}
          aria-valuetext={value === undefined ? t('survey.rangeUnset') : String(value)}
          min={range.low}
          max={range.high}
          step={range.step}
          value={value ?? middle}
          onChange={(event) => onChange([event.target.value])}
          // A tap on the thumb chooses the middle, which is no change for the browser.
          onPointerUp={(event) => onChange([event.currentTarget.value])}
          onKeyDown={(event) => {
            if (value === undefined && event.key === ' ') onChange([String(middle)]);
          }}
        />
        <div className={styles.ends} aria-hidden="true">
          <span>{range.low}</span>
          <span>{range.high}</span>
        </div>
      </div>
      <div className={styles.steps}>
        {steps.map((count) => {
          const amount = format.number(Math.abs(count) * range.step, range.step < 1 ? 1 : 0);
          return (
            <button
              key={count}
              type="button"
              aria-label={t(count < 0 ? 'survey.less' : 'survey.more', { amount })}
              onClick={() => step(count)}
            >
              {count < 0 ? '−' : '+'}
              {amount}
            </button>
          );
        })}
      </div>
    </div>
  );
}
