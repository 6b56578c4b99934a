/** Questions of an evaluation as a person writes them: `need => tool, tool`, one per line. */
export interface Question {
  query: string;
  relevant: string[];
}

export function queries(text: string): { queries: Question[]; mistake: string } {
  const made: Question[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (!line.trim()) continue;
    const [query = '', tools = ''] = line.split('=>').map((part) => part.trim());
    const relevant = tools.split(',').map((name) => name.trim()).filter(Boolean);
    if (!query || relevant.length === 0) return { queries: [], mistake: `Line ${at + 1} names no tool. Write: need => tool, tool` };
    made.push({ query, relevant });
  }
  return { queries: made, mistake: '' };
}
