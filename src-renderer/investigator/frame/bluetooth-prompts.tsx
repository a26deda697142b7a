/** Questions of Bluetooth in the desktop program, which has no chooser of its own: which device, and whether to pair with it. */
import { useState } from 'react';
import { type BluetoothPrompt, type DesktopProgram, desktopProgram } from '../../shared/desktop.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit } from '../../shared/kit/form-dialog.tsx';
import { RadioChoice } from '../../shared/kit/forms.tsx';
import { useProgramNews } from './program-news.ts';

const PIN = /^[0-9A-Za-z]{1,16}$/;

const nextPrompt = (program: DesktopProgram, seenVersion: number | null) => program.nextBluetoothPrompt(seenVersion);

type PromptOf<K extends BluetoothPrompt['kind']> = Extract<BluetoothPrompt, { kind: K }>;

interface Props<K extends BluetoothPrompt['kind']> {
  prompt: PromptOf<K>;
  answer: (value: string | null) => void;
}

function ChooseDevice({ prompt: { devices }, answer }: Props<'choose'>) {
  const { t } = useWords();
  const [chosen, setChosen] = useState('');
  return (
    <FormDialog
      title={t('bluetooth.choose')}
      intro={t('bluetooth.chooseHelp')}
      submitLabel={t('bluetooth.connect')}
      isDisabled={chosen === ''}
      onSubmit={() => answer(chosen)}
      onClose={() => answer(null)}
    >
      {devices.length > 0 && (
        <RadioChoice
          label={t('bluetooth.device')}
          value={chosen}
          options={devices.map(({ deviceId, name }) => ({
            id: deviceId,
            label: name || t('bluetooth.unnamed'),
            help: deviceId,
          }))}
          onChange={setChosen}
        />
      )}
      <p role="status">{t('bluetooth.searching')}</p>
    </FormDialog>
  );
}

function PairDevice({ prompt: { pairing, deviceName, pin = '' }, answer }: Props<'pair'>) {
  const { t } = useWords();
  const [typed, setTyped] = useState('');
  const isTyped = pairing === 'providePin';
  const { wasTried, onSubmit } = useCheckedSubmit(!isTyped || PIN.test(typed), () => answer(typed));
  return (
    <FormDialog
      title={t(`bluetooth.${pairing}`, { name: deviceName || t('bluetooth.unnamed'), pin })}
      submitLabel={t('bluetooth.pair')}
      onSubmit={onSubmit}
      onClose={() => answer(null)}
    >
      <p>{t(`bluetooth.${pairing}Help`)}</p>
      {isTyped && (
        <Field
          label={t('bluetooth.pin')}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          {...(wasTried && !PIN.test(typed) && { error: t('bluetooth.pinWrong') })}
        />
      )}
    </FormDialog>
  );
}

export function BluetoothPrompts() {
  const prompt = useProgramNews(nextPrompt)?.prompt;
  if (!prompt) return null;
  const answer = (value: string | null) => void desktopProgram()?.answerBluetoothPrompt(prompt.id, value);
  return prompt.kind === 'choose' ? (
    <ChooseDevice key={prompt.id} prompt={prompt} answer={answer} />
  ) : (
    <PairDevice key={prompt.id} prompt={prompt} answer={answer} />
  );
}
