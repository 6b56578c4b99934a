/** Business processes: shared by the list and the pages beside it. */
import { client, ok } from '../../lib/http';
import type { Process, ProcessDraft, ProcessStep } from '../../lib/types';

class Processes {
  all = $state.raw<Process[] | null>(null);
  failure = $state.raw<unknown>(null);

  async load() {
    this.failure = null;
    try {
      this.all = await ok(client.GET('/api/processes'));
    } catch (problem) {
      this.failure = problem;
    }
  }
}

export const processes = new Processes();

export const SOURCE: Record<Process['source'], string> = { written: 'Written by hand', imported: 'Imported from YAML', proposed: 'Proposed by a model' };

/** Returns what a person writes of a process, without what the server adds. */
export function draftOf(process: Process): ProcessDraft {
  const { name, category, description, owner, tags, depends_on, steps } = process;
  return structuredClone({
    name,
    category: category ?? '',
    description: description ?? '',
    owner: owner ?? null,
    tags: tags ?? [],
    depends_on: depends_on ?? [],
    steps,
  });
}

/** A process's flow as it is drawn. */
export function flowOf(steps: readonly ProcessStep[]) {
  const id = (step: ProcessStep) => step.id ?? '';
  return {
    nodes: steps.map((step) => ({ id: id(step), name: step.name, note: [step.who, step.system].filter(Boolean).join(' · ') })),
    edges: steps.flatMap((step) => (step.depends_on ?? []).map((from) => ({ from, to: id(step), label: '' }))),
  };
}

/** A process to begin with. */
export const EXAMPLE: ProcessDraft = {
  name: 'Customer onboarding',
  category: 'Sales',
  description: 'From the signed offer to the first order. It begins when a customer accepts an offer.',
  owner: 'Head of sales',
  tags: ['customer'],
  depends_on: [],
  steps: [
    {
      id: 'record',
      name: 'Record the customer',
      who: 'Sales',
      system: 'CRM',
      description: 'Name, address and contact, as they stand in the offer.',
      depends_on: [],
    },
    { id: 'credit', name: 'Check the credit', who: 'Finance', system: 'Ledger', description: 'Above 10,000 two people decide.', depends_on: ['record'] },
    { id: 'contract', name: 'Send the contract', who: 'Legal', description: '', depends_on: ['record'] },
    { id: 'account', name: 'Open the account', who: 'Service desk', system: 'CRM', description: '', depends_on: ['credit', 'contract'] },
    { id: 'welcome', name: 'Welcome call', who: 'Sales', description: 'Within three working days.', depends_on: ['account'] },
  ],
};
