/** What the server says of scripts. Written by hand from the contract until the document has it. */
import type { Schema } from '../../lib/schema';
import type { Risk } from '../../lib/types';

export type Origin = 'shipped' | 'folder' | 'console';
/** Broken: what is live does not compile, or its name is taken; `problem` says why. */
export type State = 'live' | 'draft' | 'disabled' | 'broken';

/** Lines and columns count from 1, columns in characters. */
export interface Diagnostic {
  line: number;
  column: number;
  end_column: number | null;
  severity: 'error' | 'warning';
  message: string;
  hint: string | null;
}

/** Only `http` needs a grant; the others always have it. */
export interface Capability {
  kind: 'tool' | 'http' | 'kv' | 'secret';
  what: string;
  granted: boolean;
}

export interface Setting {
  key: string;
  description: string;
  secret: boolean;
  required: boolean;
  default: string | null;
}

export interface Example {
  title: string;
  arguments: unknown;
  result: unknown;
}

export interface SpecView {
  name: string;
  description: string;
  when_to_use: string;
  category: string;
  parameters: Schema;
  risk: Risk;
  derived_risk: Risk;
  permission: string | null;
  timeout_seconds: number;
  settings: Setting[];
  examples: Example[];
}

export interface TestResult {
  name: string;
  kind: 'example' | 'test';
  passed: boolean;
  message: string | null;
  expected: unknown;
  got: unknown;
  line: number | null;
  ms: number;
}

export interface TestRun {
  passed: number;
  total: number;
  results: TestResult[];
}

export interface Version {
  version: number;
  author: string;
  at: string;
  note: string | null;
  /** What this version may that the one before might not, as "http api.example.org". */
  wider: string[];
  state: 'published' | 'old';
}

export interface VersionText extends Omit<Version, 'state'> {
  source: string;
  /** Unified, against the version before. */
  diff: string;
}

/** One line of the list. */
export interface Listed {
  name: string;
  origin: Origin;
  state: State;
  description: string;
  version: number | null;
  has_draft: boolean;
  problem: string | null;
  /** Hosts nobody has granted yet. */
  waiting: string[];
  updated_at: string;
}

export interface Script {
  name: string;
  origin: Origin;
  state: State;
  problem: string | null;
  /** The published text; the draft where nothing is published. */
  source: string;
  draft: string | null;
  version: number | null;
  spec: SpecView | null;
  capabilities: Capability[];
  /** The newest first. */
  versions: Version[];
  enabled: boolean;
  updated_at: string;
}

export interface Checked {
  problems: Diagnostic[];
  spec: SpecView | null;
  capabilities: Capability[];
  ms: number;
}

export interface RunAnswer {
  success: boolean;
  data: unknown;
  content: { type: string; text?: string; json?: unknown; mime?: string; data?: string }[];
  title: string | null;
  html: string | null;
  error: string | null;
  line: number | null;
  column: number | null;
  log: { level: 'info' | 'warn'; text: string }[];
  operations: number;
  ms: number;
}

export interface HostFunction {
  name: string;
  signature: string;
  group: string;
  description: string;
  example: string;
  result: string;
}

export interface HeaderTag {
  tag: string;
  syntax: string;
  description: string;
}

export interface Template {
  name: string;
  title: string;
  description: string;
  source: string;
}

export interface Reference {
  helpers: HostFunction[];
  tags: HeaderTag[];
  templates: Template[];
  limits: { source_bytes: number; operations: number; memory_bytes: number; depth: number };
}

export interface Imported {
  saved: string[];
  refused: { name: string; problem: string }[];
}

/** One call that becomes a line of a script. */
export interface Call {
  tool: string;
  params: unknown;
}
