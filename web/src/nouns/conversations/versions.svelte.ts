/** Former answers of questions: asked for when somebody wants to see one, and which is shown. */
import { client, ok } from '../../lib/http';
import type { FormerAnswer, Message } from '../../lib/types';

interface Seen {
  /** The number of former answers of its question at the time. */
  former: number;
  /** Those that were asked for, by their number. */
  answers: Readonly<Record<number, FormerAnswer>>;
  /** From 1; beyond the last of them stands the answer that is not former. */
  at: number;
}

type Question = Pick<Message, 'id' | 'former'>;

export class Versions {
  private seen = $state.raw<Readonly<Record<string, Seen>>>({});

  private resets = 0;

  /** From now on the last answer is shown to each question. */
  reset() {
    this.resets += 1;
    this.seen = {};
  }

  /** The number of the answer that is shown, from 1. */
  at(question: Question): number {
    return this.find(question)?.at ?? question.former + 1;
  }

  /** The former answer that is shown; null where the last one is. */
  shown = (question: Question): FormerAnswer | null => {
    const seen = this.find(question);
    return seen?.answers[seen.at] ?? null;
  };

  /** Shows another answer; what is beyond the first or the last is not shown. */
  async show(conversation: string, question: Question, at: number): Promise<void> {
    if (at < 1 || at > question.former + 1) return;
    const { resets } = this;
    const known = this.find(question)?.answers ?? {};
    const answers = at > question.former || at in known ? known : { ...known, [at]: await load(conversation, question.id, at) };
    // Reset while it was asked for: something else is read now.
    if (resets === this.resets) this.seen = { ...this.seen, [question.id]: { former: question.former, answers, at } };
  }

  /** Former answers of a question that are known, unless another one has become a former one since. */
  private find(question: Question): Seen | undefined {
    const seen = this.seen[question.id];
    return seen?.former === question.former ? seen : undefined;
  }
}

async function load(id: string, message_id: string, number: number): Promise<FormerAnswer> {
  const path = '/api/conversations/{id}/messages/{message_id}/former/{number}';
  return (await ok(client.GET(path, { params: { path: { id, message_id, number } } }))) as FormerAnswer;
}
