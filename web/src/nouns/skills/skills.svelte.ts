/** The skills there are, read once and after each change. */
import { client, ok, upload } from '../../lib/http';
import type { Skill, WholeSkill } from '../../lib/types';

class Skills {
  all = $state.raw<Skill[] | null>(null);
  failure = $state<unknown>(null);

  async load() {
    try {
      this.all = await ok(client.GET('/api/skills'));
      this.failure = null;
    } catch (problem) {
      this.failure = problem;
    }
  }
}

export const skills = new Skills();

/** A file with the path it has within what was chosen or dropped. */
export interface Sent {
  path: string;
  file: File;
}

/** The files of a picker: those of a folder have a path of their own. */
export function chosen(files: Iterable<File>): Sent[] {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Sends a skill as a zip, a SKILL.md, or the files of its folder. */
export async function send(files: Sent[], replace: boolean): Promise<WholeSkill> {
  const form = new FormData();
  if (replace) form.append('replace', 'true');
  for (const { path, file } of files) form.append('file', file, path);
  return (await upload('/api/skills', form, () => {}, new AbortController().signal)) as WholeSkill;
}

/** A file of the reading a person does before they trust a skill: its head as it was written, in words. */
export function asks(skill: Skill): string {
  const tools = skill.allowed_tools ?? [];
  return tools.length > 0 ? tools.join(', ') : 'No tools by name: it narrows nothing.';
}
