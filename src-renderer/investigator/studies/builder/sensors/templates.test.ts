import { expect, it } from 'vitest';
import { studyTemplates } from '../../../../../src-server/study/study-templates.ts';
import { presetOf } from './places.ts';

it('shows the sensors of every template as presets', () => {
  const found = studyTemplates('en').flatMap(({ document }) =>
    document.deviceConfigs.map((config) =>
      presetOf({ ...config, sensorConfig: config.sensorConfig as Parameters<typeof presetOf>[0]['sensorConfig'] }),
    ),
  );
  expect(found).toEqual(['day', 'ecg', 'day']);
});
