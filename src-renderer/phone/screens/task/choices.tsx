/** One or several choices, each as a row as wide as the screen. */
import { useId } from 'react';
import { useWords } from '../../words/words.ts';
import type { InputProps } from './input-props.ts';
import styles from './question.module.css';

export function Choices({
  question,
  values,
  onChange,
  choices,
  allowsSeveral = false,
}: InputProps & { choices: readonly { value: string; text: string }[]; allowsSeveral?: boolean }) {
  const { t } = useWords();
  const name = useId();
  const choose = (value: string, isChosen: boolean) => {
    if (!allowsSeveral) onChange([value]);
    // In the order of the question, regardless of the order of tapping.
    else
      onChange(
        choices.map((choice) => choice.value).filter((item) => (item === value ? isChosen : values.includes(item))),
      );
  };
  return (
    <fieldset className={styles.choices}>
      <legend className="visually-hidden">{question.text}</legend>
      {allowsSeveral && <p className={styles.hint}>{t('survey.several')}</p>}
      {choices.map(({ value, text }) => (
        <label key={value} className={styles.choice}>
          <input
            type={allowsSeveral ? 'checkbox' : 'radio'}
            name={name}
            checked={values.includes(value)}
            onChange={(event) => choose(value, event.target.checked)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
