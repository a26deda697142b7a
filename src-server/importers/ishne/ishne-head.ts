/** Tells ISHNE Holter files by their first bytes. */

const starts = (head: Buffer, text: string): boolean => head.toString('latin1', 0, text.length) === text;

export const isIshne = (head: Buffer): boolean => starts(head, 'ISHNE1.0');
/** Beats of a recording that lies in a file of its own. */
export const isIshneAnnotations = (head: Buffer): boolean => starts(head, 'ANN  1.0');
