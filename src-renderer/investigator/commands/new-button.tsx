import { Button } from '../../shared/kit/controls.tsx';
import { useCommands } from './commands.ts';

/** The primary button that creates what a page lists, with the key N. Rendered only where the person may create one. */
export function NewButton({ id, label, onPress }: { id: string; label: string; onPress: () => void }) {
  useCommands([{ id, label, keys: ['N'], scope: 'page', run: onPress }]);
  return (
    <Button kind="primary" icon="plus" onPress={onPress}>
      {label}
    </Button>
  );
}
