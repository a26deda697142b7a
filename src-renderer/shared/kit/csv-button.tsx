import { saveText } from '../api/download.ts';
import { Button } from './controls.tsx';

/** Saves what a page shows as CSV; the text is made when it is asked for. */
export function CsvButton({ label, fileName, text }: { label: string; fileName: string; text: () => string }) {
  return (
    <Button icon="download" aria-label={label} onPress={() => saveText(text(), fileName, 'text/csv')}>
      CSV
    </Button>
  );
}
