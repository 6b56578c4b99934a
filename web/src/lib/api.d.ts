// Written by `npm run api` from openapi.json. Do not edit.
export interface paths {
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest rows that pass.
         * @description Needs the permission `audit:read`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description How many; 50 if left out, 500 at most. */
                    limit?: number | null;
                    /** @description Rows before this number: the `next` of the answer before. */
                    before?: number | null;
                    /** @description Event types, by commas. */
                    event_type?: string | null;
                    /** @description A tool's id or bare name. */
                    tool?: string | null;
                    /** @description User names, by commas. */
                    user?: string | null;
                    /** @description Outcomes, by commas. */
                    outcome?: string | null;
                    /** @description Risks, by commas. */
                    risk?: string | null;
                    /** @description Doors, by commas. */
                    door?: string | null;
                    /** @description A conversation's id. */
                    topic?: string | null;
                    /** @description Text that stands in the row. */
                    q?: string | null;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AuditPage"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/anchors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes an anchor; keep it elsewhere. The data directory keeps a copy.
         * @description Needs the permission `audit:read`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Anchor"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/entries/{seq}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One row.
         * @description Needs the permission `audit:read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    seq: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Entry"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All rows, one JSON object a line, the oldest first.
         * @description Needs the permission `audit:read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/x-ndjson": string;
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many rows stand under each outcome, risk, door, user and event type.
         * @description Needs the permission `audit:read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/tail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * New rows as they are written, as server-sent events; each event's id is the row's number.
         * @description Needs the permission `audit:read`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reads the whole chain and says whether it stands, the data directory's anchors included.
         * @description Needs the permission `audit:read`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Verification"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs in and sets the session cookie. After failures one has to wait longer each time. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Login"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The name or the password is wrong. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many failures: wait as long as Retry-After says. */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the session that asks. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Signed out; the cookie is taken back. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Only a person in a session may do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who the caller is and what he may do. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Changes one's own password; one's other sessions end. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewPassword"];
                };
            };
            responses: {
                /** @description Changed. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Only a person in a session may do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many wrong passwords. */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The caller's conversations, the one last used first. */
        get: {
            parameters: {
                query?: {
                    /** @description Only those whose title, folder or text holds this. */
                    search?: string | null;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Conversation"][];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /** Begins a conversation. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewConversation"];
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Conversation"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A conversation with its messages and its last turn. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ConversationView"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Deletes a conversation with everything in it; its turn is stopped first. The audit keeps its rows. */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Renames a conversation, or files it. */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ConversationChange"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Conversation"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/conversations/{id}/branch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A new conversation with everything up to and including a message. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BranchBody"];
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Conversation"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The events of the last turn, from after the one `Last-Event-ID` names. `reset` means: read the conversation again. */
        get: {
            parameters: {
                query?: {
                    /** @description Where the header `Last-Event-ID` cannot be set. */
                    last_event_id?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Server-sent events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A conversation as Markdown. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Markdown */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/markdown": string;
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a message and streams the turn: `token`, `tool_start`, `tool_end`, `confirmation`, `ticket_decided`, `memory`,
         *     `context`, `usage`, `title`, `error`, and at the end `done`, whose `state` is `waiting` where a person must decide.
         *     Going away does not end the turn.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewMessage"];
                };
            };
            responses: {
                /** @description Server-sent events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No model is connected, or an answer is under way. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller's tokens of the day are used up. */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{id}/regenerate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Drops the last answer, asks again, and streams the turn. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Regenerate"];
                };
            };
            responses: {
                /** @description Server-sent events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops the turn that is under way, at once. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Stopped. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Looks at everything that can be wrong; each finding says how to mend it.
         * @description Needs the permission `settings:manage`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Report"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Keys, the newest first; never the keys themselves. */
        get: {
            parameters: {
                query?: {
                    /** @description A user's id, for those who manage users; left out, one's own. */
                    user?: string | null;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ApiKey"][];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /** Makes a key and shows it, this once. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Created"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description It would be wider than its maker. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description Too many keys. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes a key at once. */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Revoked. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The caller's memories: the newest, or those about something, the best first. */
        get: {
            parameters: {
                query?: {
                    /** @description What they should be about; left out, the newest come. */
                    q?: string | null;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Memory"][];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /** Remembers something. What says the same as an earlier memory renews that one. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewMemory"];
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Memory"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Forgets one of the caller's memories. */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Changes one of the caller's memories; what the body leaves out stays. */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MemoryChange"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Memory"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/offline/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Finds the tools that fit, by words alone. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["OfflineQuestion"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OfflineAnswer"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OpenAPI 3.1 */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every permission there is, for making roles and keys. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PermissionInfo"][];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All providers, the first to be asked first. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProviderView"][];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Adds a provider. Its address may be on this machine or network: an administrator says so by adding it.
         * @description Needs the permission `settings:manage`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProviderDraft"];
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProviderView"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/detect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Looks for a model server on this machine; no other is contacted.
         * @description Needs the permission `settings:manage`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DetectedProvider"][];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes a provider; what is left out stays. A stored key does not follow to another address.
         * @description Needs the permission `settings:manage`.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProviderDraft"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProviderView"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        post?: never;
        /**
         * Removes a provider and its key.
         * @description Needs the permission `settings:manage`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Removed. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Asks a provider which models it has: proof that address and key are right.
         * @description Needs the permission `settings:manage`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProviderTest"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All roles, built-in ones first.
         * @description Needs the permission `users:manage`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Role"][];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Makes a role.
         * @description Needs the permission `users:manage`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewRole"];
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Role"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The name is taken. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/roles/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replaces what a role grants, at once, for all who have it.
         * @description Needs the permission `users:manage`.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RoleChange"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Role"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description It is built in, or the last administrator's. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        post?: never;
        /**
         * Deletes a role nobody has.
         * @description Needs the permission `users:manage`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description It is built in or in use. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Finds tools and the caller's own conversations. */
        get: {
            parameters: {
                query: {
                    /** @description What is looked for. */
                    q: string;
                    /** @description How many things to name; 10 if left out, 50 at most. */
                    limit?: number | null;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Things"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Live sessions, the last used first. */
        get: {
            parameters: {
                query?: {
                    /** @description A user's id, for those who manage users; left out, one's own. */
                    user?: string | null;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"][];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends a session at once. */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Ended. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The settings in force. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Settings"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        /**
         * Changes what the body names, whole or in part; the rest stays. An unknown key changes nothing.
         * @description Needs the permission `settings:manage`.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Settings"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The JSON Schema of the settings, for forms. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the first owner is still to be made. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Setup"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /** Makes the owner, once, and signs him in. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Not the link of this start, or it has lapsed. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description There is an owner already. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tickets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The caller's undecided tickets, oldest first. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Ticket"][];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tickets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of the caller's tickets. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Ticket"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /** Decides a ticket. Only the person it is addressed to can, not his API keys. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DecisionBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Decided"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Only a person in a session may do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tools this caller may use. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ToolView"][];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Finds the tools that fit a need, among those this caller may call. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Need"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FoundTools"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One tool, by id, name or alias. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ToolView"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/{name}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A tool's configuration, secrets masked.
         * @description Needs the permission `settings:manage`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Configuration"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        /**
         * Stores configuration values. `***` keeps what is stored; unknown keys are refused.
         * @description Needs the permission `settings:manage`.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Configuration"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/{name}/config/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes one configuration value.
         * @description Needs the permission `settings:manage`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                    key: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/{name}/enabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Switches a tool on or off for everybody.
         * @description Needs the permission `settings:manage`.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Switch"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ToolView"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/{name}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The last calls of a tool: one's own, or everybody's for who may read the audit. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Entry"][];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/{name}/invoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs a tool. A tool's own failure is an answer with `success: false`. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Invocation"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["InvokeAnswer"];
                    };
                };
                /** @description The arguments are wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A person must confirm it first: repeat the call with the ticket. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Ticket"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/{name}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Forgets what was learned of a tool.
         * @description Needs the permission `settings:manage`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Says whether all required configuration is there.
         * @description Needs the permission `settings:manage`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Completeness"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All users, by name.
         * @description Needs the permission `users:manage`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["User"][];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Makes a user.
         * @description Needs the permission `users:manage`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewUser"];
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["User"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The name is taken. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes a user with everything that is only his.
         * @description Needs the permission `users:manage`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description He is the last administrator. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Changes a user's role or password, or keeps him out.
         * @description Needs the permission `users:manage`.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["UserChange"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["User"];
                    };
                };
                /** @description The request is wrong; the detail says what and where. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description No such thing, or not for this caller. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description He is the last administrator. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is too large. */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The body is not JSON. */
                415: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/vault/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Seals every secret anew under a new key.
         * @description Needs the permission `settings:manage`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Rotated"];
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The caller may not do this. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description The key is given from outside, or a rotation is under way. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server answers. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Health"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Counters in Prometheus' text format, for programs on this machine and for holders of `settings:manage`. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Prometheus text */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
                /** @description Nobody is signed in, or the credential is not known. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description A defect of ours; the log says more under the request id. */
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Another name of a tool, with what differs under it. */
        AliasView: {
            /** @description The name. */
            name: string;
            /** @description What it does. */
            description: string;
            /** @description Its parameters. */
            parameters: unknown;
        };
        /** @description A point of the chain kept outside it: cutting the chain before it is found (R45). */
        Anchor: {
            /**
             * Format: int64
             * @description The row.
             */
            seq: number;
            /** @description Its hash. */
            hash: string;
            /** @description When the anchor was taken. */
            at: components["schemas"]["Time"];
        };
        /** @description A key for programs; the key itself is shown once and kept as a hash. */
        ApiKey: {
            /** @description Stable id. */
            id: string;
            /** @description The owner's id: the key acts for him. */
            user: string;
            /** @description What the owner calls it. */
            name: string;
            /** @description The key's own grant; what it may do is this and its owner's role, now. */
            permissions: string[];
            /** @description When it was made. */
            created_at: components["schemas"]["Time"];
            last_used_at?: components["schemas"]["Time"] | null;
        };
        /** @description A file that came with a message. */
        Attachment: {
            /** @description Media type: an image, or text. */
            mime: string;
            /** @description The file's name. */
            name: string;
            /** @description Base64. */
            data: string;
        };
        /** @description Rows, the newest first. */
        AuditPage: {
            /** @description The rows. */
            entries: components["schemas"]["Entry"][];
            /**
             * Format: int64
             * @description Give it as `before` for the rows that follow; null at the end.
             */
            next?: number | null;
        };
        BranchBody: {
            /** @description The last message the branch has. */
            message_id: string;
        };
        /**
         * @description The groups of the console's library; policies name them too (R17).
         * @enum {string}
         */
        Category: "data" | "files" | "processes" | "desktop" | "memory" | "operations" | "agents" | "knowledge" | "catalog" | "web" | "media" | "outside";
        /** @description The chat. */
        Chat: {
            /**
             * @description Which tools the model is shown (R47).
             * @default auto
             */
            exposure: components["schemas"]["Exposure"];
            /**
             * @description The tools `selected` shows, by name.
             * @default []
             */
            selected: string[];
            /**
             * Format: int32
             * @description `auto` shows all permitted tools while their schemas fit this many tokens.
             * @default 8000
             */
            tool_token_budget: number;
            /**
             * Format: int32
             * @description Most model calls in one turn.
             * @default 25
             */
            max_steps: number;
            /**
             * Format: int64
             * @description Tokens a user may spend in a day (UTC); none means no limit.
             * @default null
             */
            daily_token_budget: number | null;
            /**
             * Format: int32
             * @description Tokens of context where the provider does not say.
             * @default 32768
             */
            context_tokens: number;
        };
        /** @description One thing that was looked at. */
        Check: {
            /** @description What: `database`, `vault`, … */
            name: string;
            /** @description Whether it is as it should be. */
            ok: boolean;
            /** @description What was found. */
            message: string;
            /** @description What to do, where it is not. */
            fix?: string | null;
        };
        /** @description Whether a configuration is complete. */
        Completeness: {
            /** @description Whether it is. */
            ok: boolean;
            /** @description What is missing, in words. */
            message: string;
        };
        /** @description A tool's configuration: secrets show as `***`. */
        Configuration: {
            /** @description Every key of its schema; null where nothing is stored. */
            values: {
                [key: string]: unknown;
            };
        };
        /** @description One part of a result as it is shown (R24). */
        Content: {
            /** @description The text. */
            text: string;
            /** @enum {string} */
            type: "text";
        } | {
            /** @description The value. */
            json: unknown;
            /** @enum {string} */
            type: "json";
        } | {
            /** @description Media type, for instance `image/png`. */
            mime: string;
            /** @description Base64, without a data URL's head. */
            data: string;
            /** @enum {string} */
            type: "image";
        };
        /** @description Tokens of a request to the model, by what they are for. All but the limit are estimates. */
        ContextBill: {
            /**
             * Format: int64
             * @description Instructions.
             */
            system: number;
            /**
             * Format: int64
             * @description Schemas of the tools shown.
             */
            tools: number;
            /**
             * Format: int64
             * @description Memories.
             */
            memory: number;
            /**
             * Format: int64
             * @description Messages.
             */
            conversation: number;
            /**
             * Format: int64
             * @description What fits.
             */
            limit: number;
            /** @description Tools shown. */
            tools_count: number;
            /** @description Tools the person may use. */
            tools_total: number;
            /**
             * Format: int64
             * @description What showing all of those would cost.
             */
            all_tools_tokens: number;
        };
        /** @description One person's talk with the model. */
        Conversation: {
            /** @description Stable id. */
            id: string;
            /** @description Its title: the first words of the first message until somebody renames it. */
            title: string;
            /** @description The folder it lies in. */
            folder?: string | null;
            /** @description When it was begun. */
            created_at: components["schemas"]["Time"];
            /** @description When something last happened in it. */
            updated_at: components["schemas"]["Time"];
            /** @description Whether a turn is under way. */
            state: components["schemas"]["ConversationState"];
            /** @description Whether content from outside has entered it. */
            tainted: boolean;
            /** @description Where that content came from. */
            tainted_by?: string | null;
        };
        ConversationChange: {
            title?: string | null;
            /** @description Null takes it out of its folder. */
            folder?: string | null;
        };
        /**
         * @description Whether a turn is under way.
         * @enum {string}
         */
        ConversationState: "idle" | "running" | "waiting";
        /** @description A conversation as its page shows it. */
        ConversationView: components["schemas"]["Conversation"] & {
            /** @description Its messages, in order. */
            messages: components["schemas"]["Message"][];
            turn?: components["schemas"]["Turn"] | null;
        };
        /** @description A key, with the only sight of it there is. */
        Created: components["schemas"]["ApiKey"] & {
            /** @description What to send as `Authorization: Bearer …`. It cannot be shown again. */
            key: string;
        };
        /** @description What a decision led to. */
        Decided: {
            /** @description Where the ticket stands now. */
            state: components["schemas"]["TicketState"];
            result?: components["schemas"]["InvokeAnswer"] | null;
        };
        /**
         * @description What a person says to a ticket.
         * @enum {string}
         */
        Decision: "approve" | "deny";
        /** @description A decision. */
        DecisionBody: {
            /** @description `approve` runs it once, with exactly these arguments. */
            decision: components["schemas"]["Decision"];
            /** @description Why not; the model reads it. */
            reason?: string | null;
            /** @description Arguments in place of those asked for. */
            params?: unknown;
            /** @description Do not ask again for this tool in this conversation; never for destructive ones. */
            for_conversation?: boolean;
        };
        /** @description A model server that was found on this machine. */
        DetectedProvider: {
            kind: components["schemas"]["ProviderKind"];
            base_url: string;
            /** @description What it has. */
            models: string[];
        };
        /** @description A row of the audit: an event and its place in the chain. */
        Entry: {
            /**
             * Format: int64
             * @description Its number, from 1, without gaps.
             */
            seq: number;
            /** @description When. */
            time: components["schemas"]["Time"];
            /** @description What kind. */
            event_type: string;
            /** @description Who. */
            user_id?: string | null;
            /** @description His name then. */
            user: string;
            /** @description The conversation it belongs to. */
            topic?: string | null;
            /** @description Canonical id of the tool. */
            tool?: string | null;
            /** @description The way it came in. */
            door: string;
            /** @description What was done. */
            action: string;
            /** @description Arguments, redacted. */
            arguments: unknown;
            /** @description The call's risk. */
            risk?: string | null;
            /** @description How it ended. */
            outcome: string;
            /** @description Why it did not work. */
            error?: string | null;
            /**
             * Format: int64
             * @description Wall time.
             */
            duration_ms?: number | null;
            /** @description The call. */
            call_id?: string | null;
            /** @description Hash of the row before, hex. */
            prev_hash: string;
            /** @description SHA-256 over the row before's hash, the number and the body, hex. */
            hash: string;
        };
        /** @description One worked example: it is documentation and a test. */
        Example: {
            /** @description What it shows, a sentence. */
            title: string;
            /** @description The arguments. */
            arguments: unknown;
            /** @description What comes back. Fields that are not named here may hold anything. */
            result: unknown;
        };
        /** @description Running commands (R21). Never a model's parameter. */
        Exec: {
            /**
             * @description `off` until an administrator enables the sandboxed form.
             * @default off
             */
            mode: components["schemas"]["ExecMode"];
            /**
             * @description Which commands may run.
             * @default full
             */
            security: components["schemas"]["ExecSecurity"];
            /**
             * @description When a person is asked beyond what the risk demands.
             * @default off
             */
            ask: components["schemas"]["ExecAsk"];
            /**
             * @description Programs (first word of a command) that `allowlist` lets through; `*` globs.
             * @default []
             */
            allowlist: string[];
            /**
             * @description Programs that never run.
             * @default [
             *       "sudo",
             *       "su",
             *       "shutdown",
             *       "reboot",
             *       "mkfs",
             *       "mount",
             *       "umount"
             *     ]
             */
            blocked: string[];
        };
        /**
         * @description When a person is asked beyond what the risk demands.
         * @enum {string}
         */
        ExecAsk: "off" | "on_miss" | "always";
        /**
         * @description Whether commands run at all.
         * @enum {string}
         */
        ExecMode: "off" | "sandboxed";
        /**
         * @description Which commands may run.
         * @enum {string}
         */
        ExecSecurity: "deny" | "allowlist" | "full";
        /**
         * @description Which tools the model is shown (R47).
         * @enum {string}
         */
        Exposure: "auto" | "all" | "selected" | "discover";
        /** @description A failure, for programs and people. */
        Failure: {
            /** @description For programs. */
            kind: string;
            /** @description For people. */
            message: string;
            /** @description More, where there is. */
            details?: unknown;
        };
        /** @description Where file tools and commands may go (R23). */
        Files: {
            /**
             * @description `workspace` is each user's own folder; other entries are absolute paths open to all who hold the permission.
             * @default [
             *       "workspace"
             *     ]
             */
            roots: string[];
        };
        /** @description The tools that fit a need. */
        FoundTools: {
            /** @description The best first. */
            results: components["schemas"]["Hit"][];
            /**
             * Format: double
             * @description How long the search took.
             */
            took_ms: number;
        };
        /** @description The server's health. */
        Health: {
            /** @description `ok`: it answers. */
            status: string;
            version: string;
            /** @description How commands are confined: `full`, `reduced`, or `off` where none runs. */
            sandbox: string;
            /** @description Whether a model is connected. */
            model: boolean;
        };
        /** @description A tool that fits, and why. */
        Hit: {
            /** @description Canonical id. */
            id: string;
            /** @description Bare name. */
            name: string;
            /** @description What it does. */
            description: string;
            /**
             * Format: double
             * @description How well it fits: 1 is the best of this search.
             */
            score: number;
            /** @description Each word that matched, and where. */
            why: string[];
            /** @description How risky a call is. */
            risk: components["schemas"]["Risk"];
            /** @description Its parameters. */
            parameters: unknown;
        };
        /** @description A call. */
        Invocation: {
            /** @description The arguments. */
            params?: unknown;
            /** @description The conversation it belongs to. */
            topic?: string | null;
            /** @description A ticket, to get the result of a call that had to be confirmed. */
            ticket?: string | null;
            /** @description Check everything, run nothing. */
            dry_run?: boolean;
        };
        /** @description What came of a call (R24). */
        InvokeAnswer: {
            /** @description Whether it worked. */
            success: boolean;
            /** @description The result as it is shown. */
            content: components["schemas"]["Content"][];
            /** @description The tool's exact return value. */
            data: unknown;
            error?: components["schemas"]["Failure"] | null;
            /** @description Facts: `call_id`, `tool`, `duration_ms`, `model_text` (what a model reads of it), and what the tool adds. */
            meta: Record<string, never>;
        };
        /**
         * @description What kind of thing was found.
         * @enum {string}
         */
        Kind: "tool" | "conversation";
        /**
         * @description What kind of memory it is.
         * @enum {string}
         */
        Layer: "fact" | "gist" | "episode";
        Login: {
            /** @description In whatever case. */
            username: string;
            password: string;
        };
        /** @description The caller. */
        Me: {
            /** @description Stable id. */
            id: string;
            /** @description His name. */
            username: string;
            /** @description His role. */
            role: string;
            /** @description What he may do through this credential, now. */
            permissions: string[];
            /** @description `session`, `key` or `local`. */
            credential: string;
        };
        /** @description One memory. It belongs to one person and nobody else reads it, administrators included (R4). */
        Memory: {
            /** @description Stable id. */
            id: string;
            /** @description What kind it is. */
            layer: components["schemas"]["Layer"];
            /** @description `general`, `preference`, `fact`, `workflow`, or the person's own word. */
            category: string;
            /** @description What is remembered. */
            content: string;
            /** @description A short name, unique among the person's memories, made from the content where none was given. */
            key: string;
            /** @description When it was first remembered. */
            created_at: components["schemas"]["Time"];
            /** @description When it was last said again or changed. */
            updated_at: components["schemas"]["Time"];
            /** @description The conversation it comes from. */
            source_conversation?: string | null;
        };
        MemoryChange: {
            /** @description What is remembered. */
            content?: string | null;
            /** @description Its category. */
            category?: string | null;
            layer?: components["schemas"]["Layer"] | null;
            /** @description Its short name. */
            key?: string | null;
        };
        /** @description One message, with the tool calls the model made in it. */
        Message: {
            /** @description Stable id. */
            id: string;
            /** @description The turn it belongs to. */
            turn_id: string;
            /** @description Who wrote it. */
            role: components["schemas"]["Speaker"];
            /** @description The text, Markdown. */
            text: string;
            /** @description What the person attached. */
            attachments: components["schemas"]["Attachment"][];
            /** @description Tool calls, in the model's order. */
            steps: components["schemas"]["Step"][];
            /** @description When. */
            created_at: components["schemas"]["Time"];
            /** @description The model that wrote it. */
            model?: string | null;
            usage?: components["schemas"]["Usage"] | null;
            /** @description Why it is not whole. */
            error?: string | null;
        };
        /** @description A need in plain words. */
        Need: {
            /** @description What you want to do. */
            query: string;
            /** @description How many tools to return; 5 if left out, 50 at most. */
            limit?: number | null;
        };
        NewConversation: {
            /** @description Left out, the first message's first words become the title. */
            title?: string | null;
        };
        NewKey: {
            /** @description What it is for. */
            name: string;
            /** @description None that the caller does not hold; left out, what its owner may at the time. */
            permissions?: string[] | null;
            /** @description A user's id, for those who manage users; left out, one's own. */
            user?: string | null;
        };
        NewMemory: {
            /** @description What to remember. */
            content: string;
            /** @description `general` if left out. */
            category?: string | null;
            /** @description Its kind; a fact if left out. */
            layer?: components["schemas"]["Layer"];
            /** @description A short name of its own. */
            key?: string | null;
        };
        NewMessage: {
            /** @description What the person says. */
            content: string;
            /** @description Images and text files. */
            attachments?: components["schemas"]["Attachment"][];
            /** @description The provider to ask first. */
            provider?: string | null;
        };
        NewPassword: {
            current: string;
            /** @description 10 characters at least. */
            new: string;
        };
        NewRole: {
            /** @description 1 to 64 lower-case letters, digits, `-` or `_`. */
            name: string;
            /** @description None that the caller does not hold. */
            permissions: string[];
        };
        NewUser: {
            username: string;
            /** @description 10 characters at least. */
            password: string;
            /** @description A role that grants nothing the caller does not hold. */
            role: string;
        };
        /** @description What can be said without a model. */
        OfflineAnswer: {
            /** @description Tools that fit, to be run by form. */
            tools: components["schemas"]["Hit"][];
            /** @description What this is and is not. */
            note: string;
        };
        OfflineQuestion: {
            /** @description What is wanted. */
            text: string;
        };
        Owner: {
            /** @description From the link. */
            token: string;
            username: string;
            /** @description 10 characters at least. */
            password: string;
        };
        /** @description One permission. */
        PermissionInfo: {
            /** @description `area:verb`, or `*`. */
            name: string;
            /** @description What it opens. */
            description: string;
        };
        /** @description What every error answer looks like; some have more fields. */
        Problem: {
            /**
             * @description Which problem it is, as a URN.
             * @example urn:satchel:invalid
             */
            type: string;
            /** @description The same in words. */
            title: string;
            /**
             * Format: int32
             * @description The HTTP status.
             */
            status: number;
            /** @description What happened and what to do. */
            detail: string;
        };
        /** @description What somebody writes of a provider. What is left out stays, or has its default in a new one. */
        ProviderDraft: {
            kind?: components["schemas"]["ProviderKind"] | null;
            /** @description What people call it; the model's name unless said. */
            name?: string | null;
            /** @description Where it is asked; the dialect's usual address unless said. */
            base_url?: string | null;
            /** @description The model's name there; a new provider needs one. */
            model?: string | null;
            /** @description The key; `***` keeps the stored one, null forgets it. */
            api_key?: string | null;
            /**
             * Format: int64
             * @description The lowest number is asked first; a new provider comes last unless said.
             */
            priority?: number | null;
            /** @description Whether it is asked at all. */
            enabled?: boolean | null;
            /**
             * Format: int32
             * @description Tokens that fit; null means unknown.
             */
            context_tokens?: number | null;
        };
        /**
         * @description The dialect a provider speaks.
         * @enum {string}
         */
        ProviderKind: "openai" | "anthropic" | "ollama";
        /** @description What a provider's test found. */
        ProviderTest: {
            /** @description Whether it can be asked. */
            ok: boolean;
            /** @description What was found, in words. */
            message: string;
            /** @description The models it offers. */
            models?: string[] | null;
        };
        /** @description A provider as answers show it. */
        ProviderView: {
            /** @description Stable id. */
            id: string;
            /** @description Its dialect. */
            kind: components["schemas"]["ProviderKind"];
            /** @description What people call it. */
            name: string;
            /** @description Where it is asked. */
            base_url: string;
            /** @description The model's name there. */
            model: string;
            /** @description `***` where a key is stored. */
            api_key?: string | null;
            /**
             * Format: int64
             * @description The lowest number is asked first, the others when it fails.
             */
            priority: number;
            /** @description Whether it is asked at all. */
            enabled: boolean;
            /**
             * Format: int32
             * @description Tokens that fit, where known.
             */
            context_tokens?: number | null;
            /** @description Set by `SATCHEL_MODEL`: shown, not changed. */
            from_environment: boolean;
        };
        Regenerate: {
            /** @description The provider to ask first. */
            provider?: string | null;
        };
        /** @description What was looked at. */
        Report: {
            checks: components["schemas"]["Check"][];
        };
        /**
         * @description What running a tool can do; decides whether a person is asked (R5).
         * @enum {string}
         */
        Risk: "read" | "low_write" | "high_write" | "destructive";
        /** @description A named set of permissions. */
        Role: {
            /** @description Unique, lower case. */
            name: string;
            /** @description What it grants. */
            permissions: string[];
            /** @description Built-in roles cannot be changed. */
            built_in: boolean;
        };
        RoleChange: {
            /** @description In place of those before. */
            permissions: string[];
        };
        /** @description What a rotation did. */
        Rotated: {
            /** @description Records sealed anew. */
            records: number;
            /** @description Id of the new key. */
            key_id: string;
        };
        /** @description A signed-in browser. */
        Session: {
            /** @description Stable id. */
            id: string;
            /** @description Whose. */
            user: string;
            /** @description What the browser called itself. */
            user_agent: string;
            /** @description Where it signed in from. */
            address: string;
            /** @description When it signed in. */
            created_at: components["schemas"]["Time"];
            /** @description When it ends, in use or not. */
            expires_at: components["schemas"]["Time"];
            /** @description Last use, to the minute. */
            last_seen_at: components["schemas"]["Time"];
            /** @description Whether it is the one that asks. */
            current: boolean;
        };
        /** @description One setting of a tool's configuration (R34). Values live in the vault. */
        Setting: {
            /** @description The key, as `PUT /api/tools/{name}/config` takes it. */
            key: string;
            /** @description What it is for, shown under the field. */
            description: string;
            /** @description Secrets are write-only: answers show `***`. */
            secret: boolean;
            /** @description Without it the tool's status is `available`, not `connected`. */
            required: boolean;
            /** @description Used where nothing is stored. */
            default?: string | null;
        };
        /** @description All settings. Each has a default, so an old stored text still reads. */
        Settings: {
            /**
             * @description The kill switch: off stops every tool (R41).
             * @default true
             */
            tools_enabled: boolean;
            /**
             * @description Canonical names of tools that are switched off.
             * @default []
             */
            disabled_tools: string[];
            /**
             * @description Sources whose tools are all switched off.
             * @default []
             */
            disabled_sources: components["schemas"]["Source"][];
            /**
             * @description Running commands.
             * @default {
             *       "mode": "off",
             *       "security": "full",
             *       "ask": "off",
             *       "allowlist": [],
             *       "blocked": [
             *         "sudo",
             *         "su",
             *         "shutdown",
             *         "reboot",
             *         "mkfs",
             *         "mount",
             *         "umount"
             *       ]
             *     }
             */
            exec: components["schemas"]["Exec"];
            /**
             * @description Where file tools may go.
             * @default {
             *       "roots": [
             *         "workspace"
             *       ]
             *     }
             */
            files: components["schemas"]["Files"];
            /**
             * @description The chat.
             * @default {
             *       "exposure": "auto",
             *       "selected": [],
             *       "tool_token_budget": 8000,
             *       "max_steps": 25,
             *       "daily_token_budget": null,
             *       "context_tokens": 32768
             *     }
             */
            chat: components["schemas"]["Chat"];
        };
        /** @description Whether there is an owner yet. */
        Setup: {
            /** @description Nobody is there: open the link the start printed. */
            needed: boolean;
        };
        /**
         * @description Where a tool comes from: the part of its id before the colon.
         * @enum {string}
         */
        Source: "builtin" | "script" | "mcp" | "catalog" | "interface";
        /**
         * @description Who wrote a message.
         * @enum {string}
         */
        Speaker: "user" | "assistant";
        /** @description How a tool has fared. */
        Stats: {
            /**
             * Format: int64
             * @description Calls that ran.
             */
            calls: number;
            /**
             * Format: int64
             * @description Those that failed.
             */
            failures: number;
            /**
             * Format: int64
             * @description Median duration of the last calls; only on the tool's own page.
             */
            median_ms?: number | null;
            /**
             * Format: int64
             * @description 95th percentile of the last calls; only on the tool's own page.
             */
            p95_ms?: number | null;
            last_used_at?: components["schemas"]["Time"] | null;
            /**
             * Format: double
             * @description What was learned of it: 1 at first, 0.1 to 5.
             */
            weight: number;
        };
        /**
         * @description Whether a tool can be used now (R36).
         * @enum {string}
         */
        Status: "system" | "available" | "connected" | "disabled" | "error";
        /** @description One tool call of a turn. */
        Step: {
            /** @description The call's id, as in its audit row. */
            call_id: string;
            /** @description Canonical id of the tool, or what the model wrote where there is none such. */
            tool: string;
            /** @description The name the model wrote. */
            asked_as: string;
            /** @description The arguments the model wrote. */
            arguments: unknown;
            /** @description The call's risk. */
            risk: components["schemas"]["Risk"];
            /** @description Where it stands. */
            state: components["schemas"]["StepState"];
            /** @description Whether it worked, once it is over. */
            success?: boolean | null;
            /** @description The exact result, as `POST /api/tools/{name}/invoke` answers. */
            output?: unknown;
            /** @description What the model read. */
            model_text?: string | null;
            ticket?: components["schemas"]["Ticket"] | null;
            /**
             * Format: int64
             * @description Wall time.
             */
            duration_ms?: number | null;
            /** @description When it was begun. */
            started_at: components["schemas"]["Time"];
        };
        /**
         * @description Where a step stands.
         * @enum {string}
         */
        StepState: "pending" | "running" | "done" | "waiting" | "uncertain" | "cancelled";
        /** @description On or off. */
        Switch: {
            /** @description Whether it can be called. */
            enabled: boolean;
        };
        /** @description Something that was found. */
        Thing: {
            /** @description A tool's or a conversation's id. */
            id: string;
            /** @description Its name or title. */
            name: string;
            /** @description What it is. */
            type: components["schemas"]["Kind"];
            /**
             * Format: double
             * @description How well it fits, 1 at best.
             */
            score: number;
        };
        /** @description What was found. */
        Things: {
            /** @description The best first. */
            results: components["schemas"]["Thing"][];
        };
        /** @description A question to a person: may this tool run with exactly these arguments? (R7) */
        Ticket: {
            /** @description Stable id. */
            id: string;
            /** @description Who must decide. */
            user: string;
            /** @description The conversation it belongs to. */
            topic?: string | null;
            /** @description Canonical id of the tool. */
            tool: string;
            /** @description The name the caller used, an alias perhaps: its result shape is his. */
            asked_as: string;
            /** @description The validated arguments; the person may change them when approving. */
            arguments: unknown;
            /** @description Why it is asked. */
            risk: components["schemas"]["Risk"];
            /** @description Which rule asks, in words. */
            reason: string;
            /** @description Where it stands. */
            state: components["schemas"]["TicketState"];
            /** @description When it was asked. */
            created_at: components["schemas"]["Time"];
            /** @description When it lapses: 300 s later. */
            expires_at: components["schemas"]["Time"];
        };
        /**
         * @description Where a ticket stands.
         * @enum {string}
         */
        TicketState: "pending" | "running" | "done" | "denied" | "expired";
        /** Format: date-time */
        Time: string;
        /** @description A tool. */
        ToolView: {
            /** @description Fully qualified id. */
            id: string;
            /** @description Bare name. */
            name: string;
            /** @description Other names. */
            aliases: components["schemas"]["AliasView"][];
            /** @description Group in the library. */
            category: components["schemas"]["Category"];
            /** @description What it does. */
            description: string;
            /** @description When to choose it. */
            when_to_use: string;
            /** @description JSON Schema of its arguments. */
            parameters: unknown;
            /** @description Least risk of a call. */
            risk: components["schemas"]["Risk"];
            /** @description The permission it needs. */
            permission?: string | null;
            /** @description Where it comes from. */
            source: components["schemas"]["Source"];
            /** @description Whether it can be used now. */
            status: components["schemas"]["Status"];
            /** @description Why it cannot. */
            status_reason?: string | null;
            /**
             * Format: int64
             * @description How long a call may take.
             */
            timeout_seconds: number;
            /** @description Always in the model's context. */
            innate: boolean;
            /** @description Not switched off. */
            enabled: boolean;
            /**
             * Format: int64
             * @description What its description costs in a model's context.
             */
            tokens: number;
            /** @description Worked examples. */
            examples: components["schemas"]["Example"][];
            /** @description Configuration it takes. */
            settings: components["schemas"]["Setting"][];
            /** @description How it has fared. */
            stats: components["schemas"]["Stats"];
        };
        /** @description From a person's message to the end of the model's answer. */
        Turn: {
            /** @description Stable id. */
            id: string;
            /** @description Where it stands. */
            state: components["schemas"]["TurnState"];
            /** @description Why it failed. */
            error?: string | null;
            /** @description What it cost so far. */
            usage: components["schemas"]["Usage"];
            context?: components["schemas"]["ContextBill"] | null;
            /** @description When the message came. */
            started_at: components["schemas"]["Time"];
            finished_at?: components["schemas"]["Time"] | null;
            /** @description The last event whose effect stands in the messages: a stream that begins after it misses nothing. */
            last_event_id: string;
        };
        /**
         * @description Where a turn stands.
         * @enum {string}
         */
        TurnState: "running" | "waiting" | "done" | "failed" | "cancelled";
        /** @description Tokens. */
        Usage: {
            /**
             * Format: int64
             * @description Read by the model.
             */
            input_tokens: number;
            /**
             * Format: int64
             * @description Written by it.
             */
            output_tokens: number;
        };
        /** @description A person who may sign in. */
        User: {
            /** @description Stable id. */
            id: string;
            /** @description Unique, as typed at sign-in; compared without case. */
            username: string;
            /** @description The role's name. */
            role: string;
            /** @description A disabled user can neither sign in nor use keys. */
            disabled: boolean;
            /** @description When the account was made. */
            created_at: components["schemas"]["Time"];
            last_login_at?: components["schemas"]["Time"] | null;
        };
        UserChange: {
            role?: string | null;
            /** @description Kept out: his sessions end, his keys do nothing. */
            disabled?: boolean | null;
            /** @description 10 characters at least; ends his sessions. */
            password?: string | null;
        };
        /** @description What verifying the chain found. */
        Verification: {
            /** @description Whether every row stands as it was written. */
            ok: boolean;
            /**
             * Format: int64
             * @description Rows read.
             */
            entries: number;
            /** @description The last row's hash. */
            head?: string | null;
            /** @description The first thing that is wrong, in words. */
            problem?: string | null;
            /** @description When it was verified. */
            verified_at: components["schemas"]["Time"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
