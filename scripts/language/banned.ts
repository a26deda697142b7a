/**
 * Words and phrases that the project does not use, each with what to write instead. `resources/glossary.md` has the terms
 * that are used. A pattern is matched against single lines, without regard to case unless it says so.
 */
export interface Banned {
  pattern: RegExp;
  instead: string;
}

/** Phrases in comments, strings, test titles and documents. */
export const BANNED_PHRASES: readonly Banned[] = [
  {
    pattern: /\b(is|are|was|were|be|being) told\b/i,
    instead: 'a real subject and verb: "receives", "learns", "the desk shows"',
  },
  { pattern: /\bgo(es)? on\b/i, instead: 'continue' },
  { pattern: /\bby (itself|themselves)\b/i, instead: 'automatically, on its own, alone' },
  { pattern: /\btak(e|es|ing) (its )?leave\b/i, instead: 'close gracefully' },
  { pattern: /\bc[ao]me about\b/i, instead: 'could not be established, happened' },
  { pattern: /\bwhat (it|he|she|they) ha(s|ve)\b/i, instead: 'name the thing: its rows, its files' },
  { pattern: /\bwho(so)?ever\b/i, instead: 'the caller, anyone who, users who' },
  { pattern: /\bwhatever (was|is|were|are|it|they|he|she)\b/i, instead: 'regardless of, any' },
  { pattern: /\bwho comes\b/i, instead: 'the next caller' },
  {
    pattern:
      /(?<!there )\bis no (json|beat|file|number|picture|recording|page|failure|error|reason|study|name|code)\b/i,
    instead: 'is not a ...',
  },
  { pattern: /\bput(s|ting)? off\b/i, instead: 'snooze, delay, postpone' },
  { pattern: /\b(one|a|the|same|new|open) matters?\b|\bmatters? need/i, instead: 'item (on Today), reason' },
  { pattern: /\banew\b/i, instead: 'again, from scratch' },
  { pattern: /\bfor good\b(?! reason)/i, instead: 'permanently' },
  { pattern: /\b(part|more|takes|takes part|are|is) no more\b/i, instead: 'no longer' },
  { pattern: /\bsets? (it |them )?right\b/i, instead: 'repairs, recovers' },
  { pattern: /\bhears? of\b/i, instead: 'is notified of, receives' },
  { pattern: /\bof its own accord\b/i, instead: 'automatically, unprompted' },
  { pattern: /\bneeds a look\b/i, instead: 'needs attention' },
  { pattern: /\bthe (cast|story) of\b/i, instead: 'the demo subjects, the seed' },
];

/** Names that were retired. Matched against the code alone, with case. */
export const RETIRED_NAMES: readonly Banned[] = [
  { pattern: /\bgiveBack(Frame)?\b/, instead: 'detachBuffer' },
  { pattern: /\b(FINDINGS|[fF]indingOf|useSaid(List)?)\b/, instead: 'diagnostic' },
  { pattern: /\b(StoryClock|CastMember|castOf|playStory)\b/, instead: 'demo seed, demo subject' },
  { pattern: /\bKeptUntilWrite\b/, instead: 'ResponseCache' },
  { pattern: /\b(outreach|Outreach)\b/, instead: 'integrations' },
  { pattern: /\buseMay\b/, instead: 'usePermissions' },
  { pattern: /\b(backoff|Backoff)\b/, instead: 'backOff, BackOff' },
  { pattern: /\b(useHeldStill|HeldStill)\b/, instead: 'useFrozenList' },
  { pattern: /\b(OpenMatters|useMatter)\b/, instead: 'attention item' },
];
