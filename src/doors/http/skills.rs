//! `/api/skills`: how kinds of tasks are done, as folders with a SKILL.md that agents follow.

use actix_multipart::Multipart;
use actix_web::{
    FromRequest, HttpRequest, HttpResponse,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    web::{Data, Path, Payload, Query},
};
use serde::Deserialize;

use super::{
    body::Body,
    download::disposition,
    json::Json,
    route::{
        Guard::{Permission, PersonWith, SignedIn},
        Route, route,
    },
    standing::Standing,
    state::State,
    upload,
};
use crate::http::caller::Who;
use crate::http::error::{HttpError, HttpResult};
use satchel_formats::media;
use satchel_model::{
    error::{Error, Result},
    skill::{MAX_BYTES, MAX_FILES, Skill, WholeSkill},
};
use satchel_services::skills::intake::{Sent, take_from, take_sent};
use satchel_store::{people::Actor, skills::Skills};

/// The field of a skill's files, and the one that lets it replace another.
const FILE: &str = "file";
const REPLACE: &str = "replace";

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, SignedIn),
        route!(add, Permission("agents:run")).calls_others(),
        route!(one, SignedIn),
        // Whoever took one in deletes it: that is looked up.
        route!(remove, SignedIn),
        route!(file, SignedIn),
        route!(trust, PersonWith("settings:manage")),
    ]
}

fn store(state: &State) -> Skills {
    Skills::new(&state.app.db)
}

/// The skills there are, by name.
#[utoipa::path(get, path = "/api/skills", tag = "skills", responses((status = 200, body = Vec<Skill>)))]
async fn list(state: Data<State>) -> HttpResult<Json<Vec<Skill>>> {
    Ok(Json(store(&state).list().await?))
}

/// An address to take a skill from.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct SkillAddress {
    /// The address of a SKILL.md, or of a zip of a skill's folder.
    #[schema(pattern = r"^https?://\S+$")]
    url: String,
    /// `true` if it may take the place of a skill of its name.
    #[serde(default)]
    replace: bool,
}

/// A skill as files.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the form for the document")]
struct SkillFiles {
    /// One zip, one SKILL.md, or all files of the folder, each with its path as its name.
    #[schema(value_type = Vec<String>, format = Binary, min_items = 1)]
    file: Vec<Vec<u8>>,
    /// `true` if it may take the place of a skill of its name. Comes first.
    #[schema(required = false)]
    replace: bool,
}

/// Takes a skill in. Its text is content from outside until an administrator trusts it.
#[utoipa::path(post, path = "/api/skills", tag = "skills",
    request_body(content((SkillFiles = "multipart/form-data"), (SkillAddress = "application/json"))), responses(
    (status = 201, body = WholeSkill),
    (status = 409, description = "There is one of its name, or there are as many as there may be.", body = super::error::Problem),
))]
async fn add(
    state: Data<State>,
    Who(by): Who<Actor>,
    request: HttpRequest,
    payload: Payload,
) -> std::result::Result<HttpResponse, actix_web::Error> {
    let app = &state.app;
    let added = if upload::is_multipart(request.headers()) {
        let room = app.host.work.answer_room(Some(by.caller.user), MAX_BYTES as u64 * 2);
        let _room = room.await.map_err(HttpError)?;
        let read = read(Multipart::new(request.headers(), payload)).await;
        let (sent, replace) = read.map_err(HttpError)?;
        Standing::new(&request).ensure().await.map_err(HttpError)?;
        take_sent(app, &by, sent, replace).await
    } else {
        let address = Body::<SkillAddress>::from_request(&request, &mut payload.into_inner()).await?.0;
        take_from(app, &by, &address.url, address.replace).await
    };
    Ok(HttpResponse::Created().json(added.map_err(HttpError)?))
}

async fn read(mut parts: Multipart) -> Result<(Sent, bool)> {
    let (mut sent, mut replace) = (Sent::default(), false);
    while let Some(mut part) = upload::next(&mut parts).await? {
        let field = part.name().unwrap_or_default().to_owned();
        match field.as_str() {
            REPLACE => replace = upload::text(&mut part, REPLACE).await?.trim() == "true",
            FILE => {
                if sent.paths.len() >= MAX_FILES * 2 {
                    return Err(Error::invalid(format!("A skill has at most {MAX_FILES} files.")));
                }
                let name = part.content_disposition().and_then(|head| head.get_filename()).unwrap_or("SKILL.md");
                sent.paths.push(name.to_owned());
                let (mut content, before) = (Vec::new(), sent.bytes());
                while let Some(piece) = upload::piece(&mut part).await? {
                    if before + content.len() + piece.len() > MAX_BYTES {
                        let most = MAX_BYTES >> 20;
                        return Err(Error::invalid(format!(
                            "A skill has at most {most} MB: leave out what it does not need."
                        )));
                    }
                    content.extend_from_slice(&piece);
                }
                sent.contents.push(content);
            }
            _ => return Err(Error::invalid("Send the skill's files in the field 'file', and 'replace' before them.")),
        }
    }
    if sent.paths.is_empty() {
        return Err(Error::invalid(
            "No file came. Send a zip, a SKILL.md, or the files of a folder in the field 'file'.",
        ));
    }
    Ok((sent, replace))
}

/// One skill, with its text and its files.
#[utoipa::path(get, path = "/api/skills/{name}", tag = "skills", responses((status = 200, body = WholeSkill)))]
async fn one(state: Data<State>, name: Path<String>) -> HttpResult<Json<WholeSkill>> {
    Ok(Json(store(&state).get(&name).await?))
}

/// Deletes a skill: whoever took it in, and who holds `settings:manage`. Agents have it no more.
#[utoipa::path(delete, path = "/api/skills/{name}", tag = "skills", responses((status = 204, description = "Deleted.")))]
async fn remove(state: Data<State>, Who(by): Who<Actor>, name: Path<String>) -> HttpResult<HttpResponse> {
    store(&state).delete(&by, &name).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct FileQuery {
    /// Its path within the skill.
    path: String,
}

/// A file of a skill, as a download.
#[utoipa::path(get, path = "/api/skills/{name}/file", tag = "skills", params(("name" = String, Path,), FileQuery),
    responses((status = 200, description = "Its bytes.", content_type = "application/octet-stream")))]
async fn file(state: Data<State>, name: Path<String>, query: Query<FileQuery>) -> HttpResult<HttpResponse> {
    let bytes = store(&state).file(&name, &query.path).await?;
    let last = query.path.rsplit('/').next().unwrap_or_default();
    let mut answer = HttpResponse::Ok();
    // Never shown as a page of ours: what is in it came from anywhere.
    answer.insert_header((CONTENT_TYPE, media::ANYTHING)).insert_header((CONTENT_DISPOSITION, disposition(last)));
    Ok(answer.body(bytes))
}

/// A word on a skill.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct SkillTrust {
    /// `true` if it is trusted from now on.
    trusted: bool,
    /// The digest of the skill as it was read.
    digest: String,
}

/// Says whether a skill is trusted: as read, by its digest. Then its text counts as the platform's own.
#[utoipa::path(put, path = "/api/skills/{name}/trust", request_body = SkillTrust, tag = "skills", responses(
    (status = 200, body = WholeSkill),
    (status = 409, description = "It has been replaced since it was read.", body = super::error::Problem),
))]
async fn trust(
    state: Data<State>,
    Who(by): Who<Actor>,
    name: Path<String>,
    Body(said): Body<SkillTrust>,
) -> HttpResult<Json<WholeSkill>> {
    Ok(Json(store(&state).trust(&by, &name, (said.trusted, said.digest)).await?))
}
