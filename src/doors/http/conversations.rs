//! `/api/conversations`: one's own talks with the model. Another person's are not found.

mod paged;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::CONTENT_DISPOSITION,
    web::{Data, Path, Query},
};
use serde::{Deserialize, Deserializer};

use self::paged::{Form, Paged};
use super::{
    agents,
    body::{Body, OptionalBody, id},
    json::Json,
    route::{Guard::SignedIn, Route, route},
    standing::Standing,
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    caller::Caller,
    conversation::{Branch, Conversation, ConversationId, ConversationView, FormerAnswer, FormerPlace, MessageId},
    error::{Error, Result},
};
use satchel_store::conversations::{ConversationChange, NewConversation};

/// Longest title and folder name.
const LONGEST: usize = 200;
/// A conversation of more bytes is sent page by page.
const PAGED: usize = 4 << 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, SignedIn).personal(),
        route!(create, SignedIn).personal(),
        route!(one, SignedIn).personal(),
        route!(change, SignedIn).personal(),
        route!(remove, SignedIn).personal(),
        route!(branch, SignedIn).personal(),
        route!(branches, SignedIn).personal(),
        route!(former, SignedIn).personal(),
        route!(markdown, SignedIn).personal(),
    ]
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// Only those whose title, folder or text holds this.
    search: Option<String>,
}

/// The caller's conversations, the one last used first.
#[utoipa::path(get, path = "/api/conversations",
    tag = "conversations", params(ListQuery), responses((status = 200, body = Vec<Conversation>)))]
async fn list(
    state: Data<State>,
    Who(caller): Who<Caller>,
    query: Query<ListQuery>,
) -> HttpResult<Json<Vec<Conversation>>> {
    let search = query.into_inner().search.filter(|text| !text.trim().is_empty());
    Ok(state.agent.conversations().list(caller.user, search).await.map(Json)?)
}

#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewConversation)]
struct Create {
    /// Left out, the first message's first words become the title.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    title: Option<String>,
    /// The agent that answers in it, by id or name; left out, the built-in one.
    #[schema(min_length = 1, max_length = 64)]
    agent: Option<String>,
    /// `true` to try an agent in it while it is written: it stands in no list, and goes a day after the last word.
    #[serde(default)]
    trial: bool,
}

/// Begins a conversation.
#[utoipa::path(post, path = "/api/conversations",
    tag = "conversations", request_body = Option<Create>, responses((status = 201, body = Conversation)))]
async fn create(state: Data<State>, Who(caller): Who<Caller>, body: OptionalBody<Create>) -> HttpResult<HttpResponse> {
    let title = body.0.title.as_deref().map(name).transpose()?.unwrap_or_default();
    let agent = agents::chosen(&state, &caller, body.0.agent.as_deref()).await?.unwrap_or_default();
    let new = NewConversation { title, agent, trial: body.0.trial, ..NewConversation::default() };
    let conversation = state.agent.converse(caller.user, new).await?;
    Ok(HttpResponse::Created().json(conversation))
}

/// A conversation with its messages and its last turn.
#[utoipa::path(get, path = "/api/conversations/{id}",
    tag = "conversations", params(("id" = String, Path,)), responses((status = 200, body = ConversationView)))]
async fn one(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<String>,
    request: HttpRequest,
) -> HttpResult<HttpResponse> {
    let (user, id) = (caller.user, id(&path)?);
    let bytes = state.agent.weight(user, id).await?;
    if bytes <= PAGED {
        return Ok(state.delivery.load(user, bytes, state.agent.view(user, id)).await?);
    }
    let paged = Paged { state, standing: Standing::new(&request), user, id, form: Form::Json };
    Ok(HttpResponse::Ok().content_type("application/json").streaming(paged.pieces().await?))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ConversationChange)]
struct Change {
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    title: Option<String>,
    /// Null takes it out of its folder.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$")]
    folder: Option<Option<String>>,
    /// Another agent that answers from the next message on, by id or name.
    #[schema(min_length = 1, max_length = 64)]
    agent: Option<String>,
}

/// Tells "null" from "left out".
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Renames a conversation, files it, or gives it another agent.
#[utoipa::path(patch, path = "/api/conversations/{id}",
    request_body = Change, tag = "conversations", params(("id" = String, Path,)), responses((status = 200, body = Conversation)))]
async fn change(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<String>,
    body: Body<Change>,
) -> HttpResult<Json<Conversation>> {
    let Change { title, folder, agent } = body.0;
    let agent = agents::chosen(&state, &caller, agent.as_deref()).await?;
    let title = title.as_deref().map(name).transpose()?;
    let folder = folder.map(|folder| folder.as_deref().map(name).transpose()).transpose()?;
    let change = ConversationChange { title, folder, agent };
    Ok(state.agent.conversations().change(caller.user, id(&path)?, change).await.map(Json)?)
}

/// Deletes a conversation with everything in it; its turn is stopped first. The audit keeps its rows.
#[utoipa::path(delete, path = "/api/conversations/{id}",
    tag = "conversations", params(("id" = String, Path,)), responses((status = 204, description = "Deleted.")))]
async fn remove(state: Data<State>, Who(caller): Who<Caller>, path: Path<String>) -> HttpResult<HttpResponse> {
    state.agent.delete(caller.user, id(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct BranchBody {
    /// The last message the branch has.
    #[schema(value_type = String, format = "uuid")]
    message_id: MessageId,
}

/// A new conversation with everything up to and including a message.
#[utoipa::path(post, path = "/api/conversations/{id}/branch",
    request_body = BranchBody, tag = "conversations", params(("id" = String, Path,)), responses((status = 201, body = Conversation)))]
async fn branch(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<String>,
    body: Body<BranchBody>,
) -> HttpResult<HttpResponse> {
    let copy = state.agent.branch(caller.user, id(&path)?, body.0.message_id).await?;
    Ok(HttpResponse::Created().json(copy))
}

/// The caller's other conversations that begin as this one does, the oldest first: what it was branched from, and its branches.
#[utoipa::path(get, path = "/api/conversations/{id}/branches",
    tag = "conversations", params(("id" = String, Path,)), responses((status = 200, body = Vec<Branch>)))]
async fn branches(state: Data<State>, Who(caller): Who<Caller>, path: Path<String>) -> HttpResult<Json<Vec<Branch>>> {
    Ok(state.agent.conversations().branches(caller.user, id(&path)?).await.map(Json)?)
}

/// A former answer of a question: it gave way when its question was asked again.
#[utoipa::path(
    get, path = "/api/conversations/{id}/messages/{message_id}/former/{number}",
    tag = "conversations",
    params(
        ("id" = String, Path,),
        ("message_id" = String, Path,),
        ("number" = u32, Path, minimum = 1, description = "1 is the oldest; the question says how many there are."),
    ),
    responses((status = 200, body = FormerAnswer)),
)]
async fn former(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<(String, String, u32)>,
) -> HttpResult<HttpResponse> {
    let (conversation, question, number) = path.into_inner();
    let place = FormerPlace { conversation: id(&conversation)?, question: id(&question)?, number };
    let bytes = state.agent.former_weight(caller.user, place).await?;
    Ok(state.delivery.load(caller.user, bytes, state.agent.former(caller.user, place)).await?)
}

/// A conversation as Markdown: of each question the answer that stands, not its former ones.
#[utoipa::path(get, path = "/api/conversations/{id}/export",
    tag = "conversations", params(("id" = String, Path,)), responses(
    (status = 200, description = "Markdown", content_type = "text/markdown", body = String),
))]
async fn markdown(
    state: Data<State>,
    Who(caller): Who<Caller>,
    path: Path<String>,
    request: HttpRequest,
) -> HttpResult<HttpResponse> {
    let id: ConversationId = id(&path)?;
    let paged = Paged { state, standing: Standing::new(&request), user: caller.user, id, form: Form::Markdown };
    Ok(HttpResponse::Ok()
        .content_type("text/markdown; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"conversation-{id}.md\"")))
        .streaming(paged.pieces().await?))
}

fn name(text: &str) -> Result<String> {
    let text = text.trim();
    if (1..=LONGEST).contains(&text.chars().count()) && !text.chars().any(char::is_control) {
        Ok(text.to_owned())
    } else {
        Err(Error::invalid(format!("A title or folder is 1 to {LONGEST} characters in one line.")))
    }
}
