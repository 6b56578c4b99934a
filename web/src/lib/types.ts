/** The shapes the server speaks, by the names the console uses. All come from the generated document. */
import type { components } from './api';

type Schemas = components['schemas'];

export type Me = Schemas['Me'];
export type User = Schemas['User'];
export type Role = Schemas['Role'];
export type ApiKey = Schemas['ApiKey'];
export type SessionInfo = Schemas['Session'];
export type Settings = Schemas['Settings'];
export type Provider = Schemas['Provider'];
export type NewProvider = Schemas['NewProvider'];
export type Tool = Schemas['Tool'];
export type Found = Schemas['Found'];
export type Risk = Schemas['Risk'];
export type InvokeAnswer = Schemas['InvokeAnswer'];
export type Ticket = Schemas['Ticket'];
export type Conversation = Schemas['Conversation'];
export type ConversationDetail = Schemas['ConversationDetail'];
export type Message = Schemas['Message'];
export type Attachment = Schemas['Attachment'];
export type Step = Schemas['Step'];
export type Turn = Schemas['Turn'];
export type ContextBill = Schemas['ContextBill'];
export type Entry = Schemas['Entry'];
export type Facets = Schemas['Facets'];
export type Verification = Schemas['Verification'];
export type Memory = Schemas['Memory'];
export type Check = Schemas['Check'];
export type Health = Schemas['Health'];
