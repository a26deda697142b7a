/** Takes the commands out of a document, so that a check runs what a person would copy from it and nothing else. */
import assert from 'node:assert/strict';

const HEADING = /^(#+)\s+(.*)$/;

/** The lines below a heading, up to the next one of its rank. @throws Error when the document has no such heading */
export function sectionOf(markdown: string, heading: string): string[] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => HEADING.exec(line)?.[2]?.trim() === heading);
  if (start < 0) throw new Error(`The document has no heading "${heading}".`);
  const rank = HEADING.exec(lines[start] ?? '')?.[1]?.length ?? 0;
  const rest = lines.slice(start + 1);
  // A remark of a shell begins like a heading.
  let isFenced = false;
  const end = rest.findIndex((line) => {
    if (line.startsWith('```')) isFenced = !isFenced;
    return !isFenced && (HEADING.exec(line)?.[1]?.length ?? Number.POSITIVE_INFINITY) <= rank;
  });
  return end < 0 ? rest : rest.slice(0, end);
}

/** The blocks of code of a section, fenced or indented by four spaces, each as its commands; empty lines and remarks are left out. */
export function commandBlocks(markdown: string, heading: string): string[][] {
  const blocks: string[][] = [];
  let block: string[] | undefined;
  let isFenced = false;
  for (const line of sectionOf(markdown, heading)) {
    const isFence = line.startsWith('```');
    const isCode = isFenced ? !isFence : /^ {4}\S/.test(line);
    if (isFence) isFenced = !isFenced;
    if (isCode) {
      block ??= [];
      const command = (isFenced ? line : line.slice(4)).replace(/\s+#.*$/, '').trim();
      if (command !== '' && !command.startsWith('#')) block.push(command);
    } else if (block && line.trim() !== '' && !isFence) {
      blocks.push(block);
      block = undefined;
    } else if (block && isFence) {
      blocks.push(block);
      block = undefined;
    }
  }
  if (block) blocks.push(block);
  return blocks.filter(({ length }) => length > 0);
}

/** The block of commands that names a program, so that a document that was rewritten does not pass unread. @throws AssertionError without one */
export function blockNaming(markdown: string, heading: string, naming: string): string[] {
  const found = commandBlocks(markdown, heading).find((lines) => lines.some((line) => line.includes(naming)));
  assert.ok(found, `"${heading}" has commands with ${naming}`);
  return found;
}
