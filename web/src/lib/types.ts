/** The shapes the server speaks, by the names the console uses. All come from the generated document. */
import type { components } from './api';

type Schemas = components['schemas'];

export type Me = Schemas['Me'];
export type User = Schemas['User'];
export type Role = Schemas['Role'];
export type ApiKey = Schemas['ApiKey'];
export type KeyTerms = Schemas['KeyTerms'];
export type SessionInfo = Schemas['Session'];
export type Settings = Schemas['Settings'];
export type Backup = Schemas['Backup'];
export type RestoredBackup = Schemas['RestoredBackup'];
export type Agent = Schemas['Agent'];
export type AgentDraft = Schemas['AgentDraft'];
export type AgentVersion = Schemas['AgentVersion'];
export type Skill = Schemas['Skill'];
export type WholeSkill = Schemas['WholeSkill'];
export type MediaEndpoint = Schemas['MediaEndpoint'];
export type MediaTest = Schemas['MediaTest'];
export type AgentChoices = Schemas['AgentChoices'];
export type NewConversation = Schemas['NewConversation'];
export type Provider = Schemas['ProviderView'];
export type NewProvider = Schemas['ProviderDraft'];
export type Tool = Schemas['ToolView'];
export type Found = Pick<Schemas['Hit'], 'id' | 'name' | 'description' | 'score' | 'why' | 'risk'>;
export type Risk = Schemas['Risk'];
/** A result; the facts about it have names of their own. */
export type InvokeAnswer = Omit<Schemas['InvokeAnswer'], 'meta'> & {
  meta: { call_id?: string; tool?: string; duration_ms?: number; model_text?: string; html?: string } & Record<string, unknown>;
};
export type Ticket = Schemas['Ticket'];
export type Notice = Schemas['Notice'];
export type Job = Schemas['Job'];
export type MadeJob = Schemas['MadeJob'];
export type NewJob = Schemas['NewJob'];
export type JobWhen = Schemas['JobWhen'];
export type JobDo = Schemas['JobDo'];
export type Run = Schemas['Run'];
export type JobRun = Schemas['JobRun'];
export type Policies = Schemas['Policies'];
export type Layer = Schemas['PolicyLayer'];
export type PolicyGroups = Schemas['Groups'];
export type PolicySight = Schemas['Sight'];
export type PolicyExplanation = Schemas['Explanation'];
export type PolicyReplay = Schemas['Replay'];
export type RuleCondition = { equals: unknown } | { one_of: unknown[] } | { prefix: string } | { domain: string } | { max: number };
export type Rule = Omit<Schemas['Rule'], 'when'> & { when: Record<string, RuleCondition> };
export type Conversation = Schemas['Conversation'];
export type Branch = Schemas['Branch'];
export type Message = Omit<Schemas['Message'], 'steps'> & { steps: Step[] };
export type ModelPrice = Schemas['ModelPrice'];
export type Cost = Schemas['Money'];
export type Usage = Schemas['UsageReport'];
export type UsageRow = Schemas['UsageRow'];
export type UsageBudget = Schemas['UsageBudget'];
/** A question that is decided. */
export type DecidedTicket = Schemas['DecidedTicket'];
/** A message that waits behind an answer. */
export type QueuedMessage = Schemas['QueuedMessage'];
export type Moment = Schemas['Moment'];
/** An answer that gave way to a later one. */
export interface FormerAnswer {
  /** The words its question had then, where they were others. */
  question?: string | null;
  messages: Message[];
}
export type Attachment = Schemas['Attachment'];
export type Step = Omit<Schemas['Step'], 'output'> & { output?: InvokeAnswer | null };
export type Turn = Schemas['Turn'];
export type ProviderFailure = Schemas['ProviderFailure'];
export type ContextBill = Schemas['ContextBill'];
export type Entry = Schemas['Entry'];
/** The number of entries that fit, and how many stand under each value of each facet. */
export type AuditFacets = Omit<Schemas['AuditFacets'], 'facets'> & { facets: Record<string, Record<string, number>> };
export type AuditHistogram = Schemas['AuditHistogram'];
export type EgressRow = Schemas['EgressRow'];
export type EgressSummary = Schemas['EgressSummary'];
export type Verification = Schemas['Verification'];
export type Memory = Schemas['Memory'];
export type Origin = Schemas['Origin'];
export type FromOutside = Schemas['FromOutside'];
export type FilesFromOutside = Schemas['FilesFromOutside'];
export type Waiting = Schemas['CatalogWaiting'];
export type Citation = Schemas['Citation'];
export type Collection = Schemas['Collection'];
export type Document = Schemas['Document'];
export type Chunk = Schemas['Chunk'];
export type Folder = Schemas['Folder'];
export type Passage = Schemas['KnowledgeResult'];
export type Thing = Schemas['Thing'];
export type GraphNode = Schemas['GraphNode'];
export type GraphEdge = Schemas['GraphEdge'];
export type GraphPart = Schemas['GraphPart'];
export type Embeddings = Schemas['Embeddings'];
export type OfferedModel = Schemas['OfferedEmbeddingModel'];
export type Check = Schemas['Check'];
export type Health = Schemas['Health'];
export type System = Schemas['SystemRow'];
export type SystemDetail = Schemas['SystemDetail'];
export type SystemDraft = Schemas['SystemDraft'];
export type SystemAuth = Schemas['SystemAuth'];
export type Endpoint = Schemas['EndpointView'];
export type EndpointDraft = Schemas['EndpointDraft'];
export type EndpointTrial = Schemas['EndpointTrial'];
export type ImportPreview = Schemas['ImportPreview'];
export type ImportRow = Schemas['ImportRow'];
export type Process = Schemas['ProcessRow'];
export type ProcessView = Schemas['ProcessView'];
export type ProcessDraft = Schemas['ProcessDraft'];
export type ProcessStep = Schemas['ProcessStep'];
export type ProcessDifference = Schemas['ProcessDifference'];
export type ProcessProposals = Schemas['ProcessProposals'];
