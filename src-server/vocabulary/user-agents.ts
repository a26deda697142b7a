/** What a program says of itself when it signs in, in the words by which its user recognises it. A hint for people: anyone can send anything. */

/** In order: many programs name others that they are compatible with. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/\boutpost\/|\bElectron\//i, 'Outpost'],
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ (?:Mobile\/\w+ )?Safari\//, 'Safari'],
  [/\bpython|requests\//i, 'Python'],
  [/^curl\//, 'curl'],
  [/^node$|\bundici\b/, 'Node.js'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameIn = (names: readonly (readonly [RegExp, string])[], text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1];

/** Returns the program and the operating system of a User-Agent, each only where it is known. */
export function programOf(userAgent: string): { program?: string; system?: string } {
  const [program, system] = [nameIn(PROGRAMS, userAgent), nameIn(SYSTEMS, userAgent)];
  return { ...(program !== undefined && { program }), ...(system !== undefined && { system }) };
}
