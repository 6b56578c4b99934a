//! `/v1/embeddings`: vectors of texts, by the embedding model that is in use.

use actix_web::web::Data;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    dialect::{Dialect, Speaks},
    images::wrong,
    target::{EMBEDDING, note_call, unknown},
};
use crate::http::{
    body::Body,
    caller::Who,
    error::HttpResult,
    json::Json,
    route::{Guard::SignedIn, Route, route},
    state::State,
};
use satchel_host::aside;
use satchel_model::{
    caller::Caller,
    error::{Error, Kind, Result},
};

/// Most texts of a request.
const TEXTS: usize = 256;
/// Texts that are embedded at once.
const PORTION: usize = 16;
/// Most bytes of them together.
const BYTES: usize = 1 << 20;

pub(in crate::http) fn routes() -> Vec<Route> {
    vec![route!(embed, SignedIn).speaking(Speaks::Only(Dialect::Openai))]
}

/// Texts whose vectors are wanted.
#[derive(Deserialize)]
struct Wanted {
    model: String,
    input: Input,
    #[serde(default)]
    encoding_format: Option<Encoding>,
    #[serde(default)]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a text or a list of texts")]
enum Input {
    Text(String),
    Texts(Vec<String>),
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Encoding {
    #[default]
    Float,
    Base64,
}

/// Vectors of texts, by the embedding model that is in use here: `model` is `satchel/embedding`. At most 256 texts of 1 MB
/// together.
#[utoipa::path(post, path = "/v1/embeddings", tag = "v1", operation_id = "v1_embeddings",
    request_body = serde_json::Value, responses((status = 200, body = serde_json::Value)))]
async fn embed(state: Data<State>, Who(caller): Who<Caller>, body: Body<Wanted>) -> HttpResult<Json<Value>> {
    let Wanted { model, input, encoding_format, dimensions } = body.0;
    if model != EMBEDDING {
        return Err(unknown(&model).into());
    }
    note_call(&state, &caller, EMBEDDING).await;
    let texts = match input {
        Input::Text(text) => vec![text],
        Input::Texts(texts) => texts,
    };
    ensure_taken(&texts)?;
    let embedder = state.app.search.embedder.steady();
    let none = || Error::new(Kind::Unconfigured, "No embedding model is in use here: search goes by words alone.");
    let has = embedder.model().ok_or_else(none)?.dimensions;
    if dimensions.is_some_and(|wanted| wanted != has) {
        return Err(wrong("dimensions", &format!("the vectors of this model have {has}")).into());
    }
    let (counter, counted) = (embedder.clone(), texts.clone());
    let tokens = aside::run(move || counted.iter().map(|text| counter.count_tokens(text)).sum::<usize>());
    let tokens = tokens.await?.ok_or_else(|| Error::internal("texts could not be counted"))?;
    let mut vectors = Vec::with_capacity(texts.len());
    // In portions: what others want goes between them.
    for portion in texts.chunks(PORTION) {
        vectors.extend(embedder.passages(portion.to_vec()).await?.ok_or_else(none)?);
    }
    let encoding = encoding_format.unwrap_or_default();
    let one = |(index, vector): (usize, &Vec<f32>)| json!({"object": "embedding", "index": index, "embedding": encoded(vector, encoding)});
    let data: Vec<Value> = vectors.iter().enumerate().map(one).collect();
    let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
    Ok(Json(json!({"object": "list", "data": data, "model": model, "usage": usage})))
}

fn ensure_taken(texts: &[String]) -> Result<()> {
    if texts.is_empty() || texts.len() > TEXTS {
        return Err(wrong("input", &format!("write 1 to {TEXTS} texts")));
    }
    if texts.iter().any(String::is_empty) {
        return Err(wrong("input", "a text is empty"));
    }
    if texts.iter().map(String::len).sum::<usize>() > BYTES {
        return Err(wrong("input", "the texts have more than 1 MB together"));
    }
    Ok(())
}

fn encoded(vector: &[f32], encoding: Encoding) -> Value {
    match encoding {
        Encoding::Float => json!(vector),
        Encoding::Base64 => {
            let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            STANDARD.encode(bytes).into()
        }
    }
}
