//! The contents of files that a call sends: a person agrees to what is in them, not to what will be there later.

use satchel_app::App;
use satchel_model::{definition::Definition, error::Result, user::UserId};

/// Most bytes of a file that is sent: a call with a longer one fails.
const MOST: u64 = 10 << 20;

/// Returns a text of each of these files of a person, which is another one once its content is.
pub(super) async fn digests(app: &App, user: UserId, paths: Vec<String>) -> Vec<String> {
    let mut texts = Vec::with_capacity(paths.len());
    for path in paths {
        // A file that cannot be read cannot be sent, and may be there later.
        texts.push(digest(app, user, &path).await.unwrap_or_else(|_| "no file".to_owned()));
    }
    texts
}

async fn digest(app: &App, user: UserId, path: &str) -> Result<String> {
    let bytes = app.files_of(user)?.read_up_to(path, MOST).await?;
    let (who, length) = (Some(user), bytes.len() as u64);
    app.host.work.run_on(who, length, move || Ok(Definition::from_content(&bytes).as_str().to_owned())).await
}
