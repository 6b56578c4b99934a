/** The tools this person may use: fetched once, shared by the library, the palette and the forms. */
import { client, ok } from './http';
import type { Schema } from './schema';
import type { Tool } from './types';

class Tools {
  all = $state<Tool[] | null>(null);
  private loading: Promise<void> | null = null;
  private asked = 0;

  /** Reads them once, or `again`: then an answer that was asked for earlier no longer counts. */
  async load(again = false): Promise<void> {
    if (!again && (this.all || this.loading)) return this.loading ?? undefined;
    this.asked += 1;
    const mine = this.asked;
    this.loading = ok(client.GET('/api/tools')).then(
      (found) => {
        if (mine === this.asked) [this.all, this.loading] = [found, null];
      },
      (failure: unknown) => {
        if (mine === this.asked) this.loading = null;
        throw failure;
      },
    );
    return this.loading;
  }

  /** By id, name or alias. */
  named(name: string): Tool | undefined {
    return this.all?.find((tool) => tool.id === name || tool.name === name || tool.aliases.some((alias) => alias.name === name));
  }

  /** The schema that fits these arguments: the tool's own, or that of the alias it was called by. */
  schema(name: string, asked: string, given: unknown): Schema | null {
    const tool = this.named(name) ?? this.named(asked);
    if (!tool) return null;
    const keys = Object.keys((given ?? {}) as object);
    const fits = (schema: Schema) => keys.every((key) => key in ((schema['properties'] ?? {}) as object));
    const own = tool.parameters as Schema;
    const alias = tool.aliases.find((one) => one.name === asked)?.parameters as Schema | undefined;
    return fits(own) || !alias ? own : alias;
  }
}

export const tools = new Tools();
