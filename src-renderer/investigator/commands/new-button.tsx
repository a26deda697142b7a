import { Button } from '../../shared/kit/controls.tsx';
import { useCommands } from './commands.ts';

/** What a page makes: its main button, and the key N. Shown only to those who may. */
export function NewButton({ id, label, onPress }: { id: string; label: string; onPress: () => void }) {
  useCommands([{ id, label, keys: ['N'], scope: 'page', run: onPress }]);
  return (
    <Button kind="primary" icon="plus" onPress={onPress}>
      {label}
    </Button>
  );
}
