import { expect, it } from 'vitest';
import { episode } from './episode';

it('tells the question of an episode from how it ended', () => {
  expect(episode('Asked: "Which are \'open\'?". Outcome: answered.')).toEqual({
    question: "Which are 'open'?",
    rest: [],
    tools: '',
    outcome: 'answered',
    look: 'good',
  });
  expect(episode('Asked: "Run it". Tools: exec (failed), find_tools. Outcome: stopped.')).toMatchObject({
    question: 'Run it',
    tools: 'exec (failed), find_tools',
    look: 'disabled',
  });
});

it('tells the first question from those that followed', () => {
  expect(episode('Asked: "One?"; "Two: \n"yes"."; and 4 more. Outcome: no answer came.')).toMatchObject({
    question: 'One?',
    rest: ['Two: \n"yes".', 'and 4 more'],
    outcome: 'no answer came',
    look: 'error',
  });
});

it('leaves what a person wrote as it is', () => {
  expect(episode('We asked about invoices.')).toBeNull();
});
