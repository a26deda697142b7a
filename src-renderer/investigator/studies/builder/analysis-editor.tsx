/** What the analysis of a study uses: published cut points, the rule of non-wear, and the thresholds of the rhythm. */
import { useState } from 'react';
import {
  type AnalysisParameters,
  type CutPoints,
  cutPointsOf,
  DEFAULT_ANALYSIS_PARAMETERS,
  isDefaultParameters,
  NON_WEAR_IDS,
  RHYTHM_THRESHOLDS,
  WAIST_CUT_POINT_IDS,
  WRIST_CUT_POINT_IDS,
} from '../../../../src-server/vocabulary/analysis-parameters.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from './builder.module.css';

type Threshold = keyof AnalysisParameters['rhythm'];
const THRESHOLDS = Object.keys(RHYTHM_THRESHOLDS) as Threshold[];

/** The limits of intensity and the publication of chosen cut points. */
function useCutPointsText() {
  const { t, format } = useWords();
  return ({ metric, epochSeconds, light, moderate, vigorous, citation }: CutPoints): string => {
    const value = (limit: number) =>
      t(epochSeconds === 5 ? 'builder.analysis.milliG' : 'builder.analysis.perMinute', {
        value: format.number(limit, 1),
      });
    const limits = [
      light !== null && t('builder.analysis.light', { value: value(light) }),
      t('builder.analysis.moderate', { value: value(moderate) }),
      vigorous !== null && t('builder.analysis.vigorous', { value: value(vigorous) }),
    ].filter((limit) => limit !== false);
    const text = t('builder.analysis.limits', {
      signal: t(`builder.analysis.signals.${metric}`),
      limits: format.list(limits),
    });
    return `${text} ${citation}`;
  };
}

/** A threshold that is stored as soon as it is valid. */
function ThresholdField({
  name,
  value,
  isDisabled,
  error,
  onChange,
}: {
  name: Threshold;
  value: number;
  isDisabled: boolean;
  error: string | undefined;
  onChange: (value: number) => void;
}) {
  const { t, format } = useWords();
  const [typed, setTyped] = useState<string | null>(null);
  const { least, most } = RHYTHM_THRESHOLDS[name];
  const read = (text: string): number | undefined => {
    const number = Number(text.normalize('NFKC').trim().replace(',', '.') || Number.NaN);
    return number >= least && number <= most ? number : undefined;
  };
  const isWrong = typed !== null && read(typed) === undefined;
  const limits = { min: format.number(least, 1), max: format.number(most, 1) };
  return (
    <Field
      label={t(`builder.analysis.${name}`)}
      inputMode="decimal"
      value={typed ?? String(value)}
      isDisabled={isDisabled}
      error={isWrong ? t('builder.analysis.numberInvalid', limits) : error}
      onChange={(text) => {
        setTyped(text);
        const next = read(text);
        if (next !== undefined) onChange(next);
      }}
      onBlur={() => !isWrong && setTyped(null)}
    />
  );
}

export function AnalysisEditor({
  parameters = DEFAULT_ANALYSIS_PARAMETERS,
  isFixed,
  isReadOnly,
  isOfRun = false,
  errorOf,
  onChange,
}: {
  parameters: AnalysisParameters | undefined;
  /** The study has started. */
  isFixed: boolean;
  isReadOnly: boolean;
  /** Of an analysis run, whose dialog says what they are for. */
  isOfRun?: boolean;
  errorOf: (path: string) => string | undefined;
  onChange: (parameters: AnalysisParameters) => void;
}) {
  const { t } = useWords();
  const cutPointsText = useCutPointsText();
  const isDisabled = isFixed || isReadOnly;
  const { cutPoints, nonWear, rhythm } = parameters;
  /** Raised by the button, so that fields forget what was typed. */
  const [resets, setResets] = useState(0);
  const nameOf = (id: CutPoints['id']) => t(`builder.analysis.cutPoints.${id}`);
  const optionsOf = <T extends CutPoints['id']>(ids: readonly T[]) => ids.map((id) => ({ id, label: nameOf(id) }));
  return (
    <div className={styles.form}>
      {isFixed && <Notice tone="info">{t('builder.analysis.fixed')}</Notice>}
      {!isFixed && !isOfRun && <p>{t('builder.analysis.intro')}</p>}
      <fieldset className={styles.question} disabled={isDisabled}>
        <legend>{t('builder.analysis.intensity')}</legend>
        <p>{t('builder.analysis.intensityHelp')}</p>
        <Select
          label={t('builder.analysis.wrist')}
          value={cutPoints.wrist}
          options={optionsOf(WRIST_CUT_POINT_IDS)}
          help={cutPointsText(cutPointsOf(cutPoints.wrist))}
          onChange={(wrist) => onChange({ ...parameters, cutPoints: { ...cutPoints, wrist } })}
        />
        <Select
          label={t('builder.analysis.waist')}
          value={cutPoints.waist}
          options={optionsOf(WAIST_CUT_POINT_IDS)}
          help={cutPointsText(cutPointsOf(cutPoints.waist))}
          onChange={(waist) => onChange({ ...parameters, cutPoints: { ...cutPoints, waist } })}
        />
      </fieldset>
      <fieldset className={styles.question} disabled={isDisabled}>
        <legend>{t('builder.analysis.wear')}</legend>
        <Select
          label={t('builder.analysis.nonWearRule')}
          value={nonWear}
          options={NON_WEAR_IDS.map((id) => ({ id, label: t(`builder.analysis.nonWear.${id}`) }))}
          help={t(`builder.analysis.nonWearHelp.${nonWear}`)}
          onChange={(next) => onChange({ ...parameters, nonWear: next })}
        />
      </fieldset>
      <fieldset className={styles.question} disabled={isDisabled}>
        <legend>{t('builder.analysis.heart')}</legend>
        <p>{t('builder.analysis.heartHelp')}</p>
        <div className={styles.pair}>
          {THRESHOLDS.map((name) => (
            <ThresholdField
              key={`${name} ${resets}`}
              name={name}
              value={rhythm[name]}
              isDisabled={isDisabled}
              error={errorOf(`analysisParameters.rhythm.${name}`)}
              onChange={(value) => onChange({ ...parameters, rhythm: { ...rhythm, [name]: value } })}
            />
          ))}
        </div>
      </fieldset>
      {!isDisabled && (
        <div className={styles.row}>
          <Button
            isDisabled={isDefaultParameters(parameters)}
            onPress={() => {
              setResets(resets + 1);
              onChange(DEFAULT_ANALYSIS_PARAMETERS);
            }}
          >
            {t('builder.analysis.useDefaults')}
          </Button>
        </div>
      )}
    </div>
  );
}
