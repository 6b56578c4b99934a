/** The source of a tool, in words. */
import { sentence } from '../../lib/format';

const NAMES: Record<string, string> = { builtin: 'Built in', mcp: 'MCP' };

export const sourceName = (source: string): string => NAMES[source] ?? sentence(source);
