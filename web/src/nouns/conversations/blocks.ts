/** The layout of messages on the page: what was said, and the steps between, folded where several follow each other. */
import type { FormerAnswer, Message, Step } from '../../lib/types';

export type Block =
  /** With the words it had, where the answer that is shown was given to others. */
  | { kind: 'you'; key: string; message: Message; former: string | null }
  /** With the steps of its turn, so that nobody has to look for them. */
  | { kind: 'say'; key: string; message: Message; steps: Step[]; former: boolean }
  | { kind: 'steps'; key: string; steps: Step[] }
  | { kind: 'ask'; key: string; step: Step }
  /** An answer that broke off, with what there is of it. */
  | { kind: 'error'; key: string; text: string; said: string; stopped: boolean; former: boolean }
  /** A choice among the answers to a question, where there are several. */
  | { kind: 'versions'; key: string; question: Message };

/** The text the server writes to an answer that its person stopped. */
export const STOPPED = 'Stopped.';

/** Returns what a turn has said so far. */
export const saidIn = (messages: readonly Message[], turn: string | undefined) =>
  messages.flatMap((one) => (one.turn_id === turn && one.role === 'assistant' && one.text.trim() ? [one.text.trim()] : [])).join('\n\n');

/** Messages as blocks; `former` gives the former answer that is shown to a question, null where the last is. */
export function blocks(messages: readonly Message[], former: (question: Message) => FormerAnswer | null = () => null): Block[] {
  const made: Block[] = [];
  let question: Message | null = null;
  let hidden = false;
  let turn: Turn = { id: null, steps: [], said: [] };
  const end = () => question && question.former > 0 && made.push({ kind: 'versions', key: `${question.id}-versions`, question });
  const tell = (message: Message, isFormer: boolean) => {
    if (message.turn_id !== turn.id) turn = { id: message.turn_id, steps: [], said: [] };
    addAnswer(made, message, turn, isFormer);
  };
  for (const message of messages) {
    if (message.role === 'user') {
      end();
      question = message;
      const shown = former(message);
      hidden = shown !== null;
      turn = { id: message.turn_id, steps: [], said: [] };
      made.push({ kind: 'you', key: message.id, message, former: shown?.question ?? null });
      shown?.messages.forEach((one) => tell(one, true));
    } else if (!hidden) tell(message, false);
  }
  end();
  return made;
}

interface Turn {
  id: string | null;
  steps: Step[];
  said: string[];
}

/** Adds the blocks of one message of an answer. */
function addAnswer(made: Block[], message: Message, turn: Turn, former: boolean) {
  if (message.text.trim()) {
    turn.said.push(message.text.trim());
    made.push({ kind: 'say', key: message.id, message, steps: turn.steps, former });
  }
  for (const step of message.steps) {
    turn.steps.push(step);
    place(made, step);
  }
  if (message.error)
    made.push({ kind: 'error', key: `${message.id}-error`, text: message.error, said: turn.said.join('\n\n'), stopped: message.error === STOPPED, former });
}

/** A step joins the steps before it; a question stands alone. */
function place(made: Block[], step: Step) {
  if (step.state === 'waiting' && step.ticket?.state === 'pending') {
    made.push({ kind: 'ask', key: step.call_id, step });
    return;
  }
  const last = made.at(-1);
  if (last?.kind === 'steps') last.steps.push(step);
  else made.push({ kind: 'steps', key: step.call_id, steps: [step] });
}

/** Returns whether a step did what a script would do again. Looking for tools is no part of the work. */
export const isWork = (one: Step) => one.state === 'done' && one.success === true && !/(^|:)find_tools$/.test(one.tool);

/** Returns the calls of a turn and their results, as a script would call them again. */
export function callsOf(steps: readonly Step[]): { tool: string; params: unknown }[] {
  return steps.filter(isWork).map((one) => ({ tool: one.tool.replace(/^builtin:/, ''), params: one.arguments ?? {} }));
}

/** A block's height in px before it is drawn: lines of text, at the width of the thread. */
export function guess(block: Block): number {
  const lines = (text: string, width: number) => text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
  switch (block.kind) {
    case 'you':
      return lines(block.former ?? block.message.text, 72) * 24 + 34;
    case 'say':
      return lines(block.message.text, 88) * 24 + 52;
    case 'ask':
      return 320;
    case 'versions':
      return 28;
    default:
      return 54;
  }
}
