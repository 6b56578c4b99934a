//! The pages of the console: `npm run api` in `web/` makes this of `web/src/places.ts`.

use super::Page;

/// The pages, in the order in which the console names them.
pub(super) const PAGES: &[Page] = &[
    Page { path: "/chat", name: "Chat", needs: None },
    Page { path: "/inbox", name: "Inbox", needs: None },
    Page { path: "/memory", name: "Memory", needs: None },
    Page { path: "/tools", name: "Tools", needs: None },
    Page { path: "/scripts", name: "Scripts", needs: Some("scripts:write") },
    Page { path: "/agents", name: "Agents", needs: None },
    Page { path: "/skills", name: "Skills", needs: None },
    Page { path: "/knowledge", name: "Knowledge", needs: Some("knowledge:read") },
    Page { path: "/catalog", name: "Catalog", needs: Some("catalog:read") },
    Page { path: "/processes", name: "Processes", needs: Some("processes:read") },
    Page { path: "/connect", name: "Connect", needs: None },
    Page { path: "/jobs", name: "Jobs", needs: Some("jobs:manage") },
    Page { path: "/policies", name: "Policies", needs: None },
    Page { path: "/audit", name: "Audit", needs: Some("audit:read") },
    Page { path: "/outbound", name: "Outbound", needs: Some("audit:read") },
    Page { path: "/usage", name: "Usage", needs: None },
    Page { path: "/users", name: "Users", needs: None },
    Page { path: "/settings", name: "Settings", needs: None },
];
