/** Agents: shared by their page, the composer and the palette. */
import { client, ok } from '../../lib/http';
import type { Agent, AgentChoices, AgentDraft, Provider } from '../../lib/types';

class Agents {
  all = $state.raw<Agent[] | null>(null);
  choices = $state.raw<AgentChoices | null>(null);
  failure = $state.raw<unknown>(null);

  async load() {
    this.failure = null;
    try {
      this.all = await ok(client.GET('/api/agents'));
    } catch (problem) {
      this.failure = problem;
    }
  }

  async offer() {
    this.choices ??= await ok(client.GET('/api/agents/choices')).catch(() => null);
  }

  named(id: string): Agent | undefined {
    return this.all?.find((one) => one.id === id);
  }

  /** The agent that is meant by its id or by its name. */
  meant(text: string): Agent | undefined {
    return this.named(text) ?? this.all?.find((one) => one.name === text);
  }

  /** Returns an agent's name, with its owner's where another agent has the same. */
  label(one: Pick<Agent, 'id' | 'name'> & Partial<Pick<Agent, 'owner'>>): string {
    const isTwin = this.all?.some((other) => other.id !== one.id && other.name.toLowerCase() === one.name.toLowerCase());
    return isTwin && one.owner ? `${one.name} (${one.owner})` : one.name;
  }

  /** Returns the words for an agent that something names by its id or its name. */
  nameOf(text: string): string {
    const gone = this.all ? 'an agent that is gone' : 'an agent';
    return this.meant(text)?.name ?? (/^[\da-f]{8}-[\da-f-]{27}$/i.test(text) ? gone : text);
  }
}

export const agents = new Agents();

/** An agent that nothing is written of yet. */
export const BLANK: Required<
  Pick<AgentDraft, 'name' | 'description' | 'instructions' | 'models' | 'allow' | 'deny' | 'collections' | 'shared_with' | 'tools'>
> = { name: '', description: '', instructions: '', models: [], allow: [], deny: [], collections: [], shared_with: [], tools: true };

/** Returns what a person writes of an agent, without what the server adds. */
export function draftOf(agent: AgentDraft): AgentDraft {
  const { name, description, instructions, models, reasoning_effort, exposure, profile, allow, deny, collections, budget, max_risk, tools, shared_with } =
    agent;
  return structuredClone({
    ...BLANK,
    name,
    description: description ?? '',
    instructions: instructions ?? '',
    models: models ?? [],
    allow: allow ?? [],
    deny: deny ?? [],
    collections: collections ?? [],
    shared_with: shared_with ?? [],
    tools: tools ?? true,
    budget: budget ?? {},
    ...(reasoning_effort ? { reasoning_effort } : {}),
    ...(exposure ? { exposure } : {}),
    ...(profile ? { profile } : {}),
    ...(max_risk ? { max_risk } : {}),
  });
}

/** A draft that can be tried: one that has no name yet is given one for it. */
export const tried = (draft: AgentDraft): AgentDraft => (draft.name.trim() ? draft : { ...draft, name: 'draft' });

/** The name of a provider's model, as agents write it. */
export const modelName = (one: Pick<Provider, 'kind' | 'name' | 'model' | 'from_environment'>): string =>
  `${one.from_environment ? one.kind : one.name}:${one.model}`;

/** A line that says whose an agent is, or what it is. */
export function about(agent: Agent): string {
  const whose = agent.built_in ? 'Built in' : agent.shared_with?.length ? `Shared by ${agent.owner ?? 'somebody who is gone'}` : (agent.owner ?? '');
  return [agent.tools ? '' : 'Specialist', whose].filter(Boolean).join(', ');
}

/** Agents whose names begin with what is typed after an `@` at the beginning of a message; none where nothing is called. */
export function called(text: string, all: readonly Agent[]): Agent[] {
  const typed = /^\s*@([\w.-]*)$/u.exec(text);
  if (!typed) return [];
  const wanted = (typed[1] ?? '').toLowerCase();
  return all.filter((one) => one.name.toLowerCase().startsWith(wanted)).slice(0, 8);
}

/** The same list with one entry moved by so many places. */
export function shifted(list: readonly string[], at: number, by: number): string[] {
  const [one] = list.slice(at, at + 1);
  const to = at + by;
  if (one === undefined || to < 0 || to >= list.length) return [...list];
  return list.toSpliced(at, 1).toSpliced(to, 0, one);
}
