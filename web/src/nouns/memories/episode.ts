/** An episode as it is kept, "Asked: … Tools: … Outcome: …", taken apart for people. */
export interface Episode {
  /** The question it began with, and those that followed. */
  question: string;
  rest: string[];
  tools: string;
  outcome: string;
  look: 'good' | 'error' | 'disabled';
}

const SHAPE = /^Asked: "([^]*)"(?:; (and \d+ more))?\.(?: Tools: (.+)\.)? Outcome: ([^.]+)\.$/;
const LOOKS: Record<string, Episode['look']> = { answered: 'good', stopped: 'disabled' };

/** None where it says something else, such as what a person wrote in its place. */
export function episode(text: string): Episode | null {
  const [whole, asked = '', more, tools = '', outcome = ''] = SHAPE.exec(text) ?? [];
  if (whole === undefined) return null;
  const [question = '', ...rest] = asked.split('"; "');
  return { question, rest: more ? [...rest, more] : rest, tools, outcome, look: LOOKS[outcome] ?? 'error' };
}
