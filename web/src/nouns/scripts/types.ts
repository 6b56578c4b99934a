/** The shapes the server speaks, by the names the pages of scripts use. All come from the generated document. */
import type { components } from '../../lib/api';
import type { Schema } from '../../lib/schema';

type Schemas = components['schemas'];

export type Origin = Schemas['ScriptOrigin'];
export type State = Schemas['ScriptState'];
export type Diagnostic = Schemas['Diagnostic'];
export type Capability = Schemas['ScriptCapability'];
export type Setting = Schemas['Setting'];
export type Example = Schemas['Example'];
/** The declarations of a script; its parameters are a JSON Schema. */
export type SpecView = Omit<Schemas['ScriptSpec'], 'parameters'> & { parameters: Schema };
export type TestResult = Schemas['TestResult'];
export type TestRun = Schemas['TestRun'];
export type Version = Schemas['ScriptVersion'];
export type VersionText = Schemas['VersionText'];
/** One line of the list. */
export type Listed = Schemas['ScriptSummary'];
export type Script = Omit<Schemas['ScriptView'], 'spec'> & { spec: SpecView };
export type Checked = Omit<Schemas['ScriptCheck'], 'spec'> & { spec?: SpecView | null };
export type RunAnswer = Schemas['ScriptRun'];
export type HostFunction = Schemas['HelperView'];
export type HeaderTag = Schemas['TagView'];
export type Template = Schemas['ScriptTemplate'];
export type Reference = Schemas['ScriptReference'];
export type Imported = Schemas['Imported'];
/** One call that becomes a line of a script. */
export interface Call {
  tool: string;
  params: unknown;
}
