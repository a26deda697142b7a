import {
  CSV_CHANNEL_TYPES,
  type CsvChannel,
  type CsvChannelType,
  columnsOfType,
  type MappingFault,
} from '../../../../src-server/vocabulary/csv-mapping.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import { columnOptions } from './csv-columns.ts';
import styles from './import.module.css';

const USUAL_UNITS: Record<CsvChannelType, string> = {
  ECG: 'mV',
  EMG: 'mV',
  ACCEL: 'g',
  GYRO: 'deg/s',
  MAGNETOMETER: 'uT',
  RR: 'ms',
  PPG: 'adu',
  EDA: 'uS',
  TEMPERATURE: 'degC',
  LIGHT: 'lux',
  OTHER: '',
};

/** One channel: its type, the columns that form it and their unit. */
export function CsvChannelFields({
  index,
  channel,
  columns,
  faults,
  onChange,
  onRemove,
}: {
  index: number;
  channel: CsvChannel;
  columns: readonly string[];
  faults: readonly { path: string; fault: MappingFault }[];
  onChange: (channel: CsvChannel) => void;
  onRemove: () => void;
}) {
  const { t } = useWords();
  const { type } = channel;
  const { least, most } = columnsOfType(type);
  const isSpatial = least === 3;
  const shown = Math.min(most, Math.max(least, channel.columns.length + (isSpatial ? 0 : 1)));
  const faultAt = (part: string) => {
    const found = faults.find(({ path }) => path.endsWith(`.${part}`));
    return found && t(`imports.mappingFaults.${found.fault}`);
  };
  const setColumn = (place: number, value: string) => {
    const next = Array.from({ length: shown }, (_, at) => (at === place ? value : String(channel.columns[at] ?? '')));
    onChange({ ...channel, columns: next.filter((one) => one !== '').map(Number) });
  };
  return (
    <fieldset className={styles.channel}>
      <legend>{t('imports.channelNumber', { number: index + 1 })}</legend>
      <div className={styles.fields}>
        <Select
          label={t('imports.channelType')}
          value={type}
          options={CSV_CHANNEL_TYPES.map((id) => ({ id, label: t(`imports.channelTypes.${id}`) }))}
          onChange={(next) =>
            onChange({
              type: next,
              unit: USUAL_UNITS[next],
              columns: channel.columns.slice(0, columnsOfType(next).most),
              ...(next === 'OTHER' && { name: channel.name ?? '' }),
            })
          }
        />
        {type === 'OTHER' && (
          <Field
            label={t('imports.channelName')}
            value={channel.name ?? ''}
            maxLength={40}
            onChange={(name) => onChange({ ...channel, name })}
            error={faultAt('name')}
          />
        )}
        {Array.from({ length: shown }, (_, place) => (
          <Select
            // biome-ignore lint/suspicious/noArrayIndexKey: a column of a channel is its place
            key={place}
            label={
              isSpatial
                ? t('imports.axis', { axis: 'XYZ'[place] ?? '' })
                : most > 1 && place > 0
                  ? t('imports.furtherColumn')
                  : t('imports.column')
            }
            value={channel.columns[place] === undefined ? '' : String(channel.columns[place])}
            options={columnOptions(columns, t('imports.noColumn'))}
            onChange={(value) => setColumn(place, value)}
            error={place === 0 ? faultAt('columns') : undefined}
          />
        ))}
        <Field
          label={t('imports.unit')}
          value={channel.unit}
          maxLength={40}
          onChange={(unit) => onChange({ ...channel, unit })}
          error={faultAt('unit')}
        />
      </div>
      <div className={styles.actions}>
        <Button kind="quiet" icon="trash" onPress={onRemove}>
          {t('imports.removeChannel', { number: index + 1 })}
        </Button>
      </div>
    </fieldset>
  );
}
