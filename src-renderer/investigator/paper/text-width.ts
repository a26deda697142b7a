/** How wide texts are before anything is laid out. */

/** Returns the width of a text, em. Ideographs and kana are an em wide, other letters little more than half of it. */
export const widthEm = (text: string): number =>
  [...text].reduce((sum, letter) => sum + (/[\u1100-\uffdc]/.test(letter) ? 1 : 0.58), 0);
