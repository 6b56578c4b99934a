//! Notices: messages to people, in their inbox until they put them away.

use super::{
    db::Db,
    origin,
    sql::{Row, params},
};
use satchel_model::{
    error::{Error, Result},
    id::Id,
    job::{JobName, firing::Notice},
    origin::Origin,
    time::Time,
    user::UserId,
};

/// Most notices that a person's inbox holds; the oldest go.
const MOST: i64 = 500;

/// A notice that is sent.
#[derive(Debug, Clone)]
pub struct NewNotice {
    /// Its id: the same one is not sent twice.
    pub id: Id<Notice>,
    /// The text.
    pub text: String,
    /// The job that sends it.
    pub job: JobName,
    /// `true` if it tells of something that went wrong: it takes the place of an earlier such one of the same job.
    pub warns: bool,
    /// The origin of the text, if from outside.
    pub origin: Option<Origin>,
}

/// Sends a notice.
pub async fn send(db: &Db, user: UserId, new: NewNotice, now: Time) -> Result<()> {
    db.write(move |tx| {
        let NewNotice { id, text, job, warns, origin } = new;
        let (user, job_id) = (user.to_string(), job.id.to_string());
        if warns {
            let sql = "UPDATE notices SET text = ?3, times = times + 1, sent_at = ?4, origin = ?5
                       WHERE person = ?1 AND job = ?2 AND warns";
            if tx.run(sql, (&user, &job_id, &text, now.millis(), origin::text(&origin)))? > 0 {
                return Ok(());
            }
        }
        let sql = "INSERT INTO notices (id, person, text, job, job_name, warns, times, sent_at, origin)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8) ON CONFLICT DO NOTHING";
        tx.run(
            sql,
            params![id.to_string(), &user, text, job_id, job.name, warns, now.millis(), origin::text(&origin),],
        )?;
        let sql = "DELETE FROM notices WHERE person = ?1 AND id NOT IN (
                     SELECT id FROM notices WHERE person = ?1 ORDER BY sent_at DESC, id DESC LIMIT ?2)";
        tx.run(sql, (user, MOST)).map(drop)
    })
    .await
}

/// A person's notices, the newest first.
pub async fn list(db: &Db, user: UserId) -> Result<Vec<Notice>> {
    let sql = "SELECT * FROM notices WHERE person = ?1 ORDER BY sent_at DESC, id DESC";
    db.read(move |tx| tx.all(sql, [user.to_string()], read)).await
}

/// Puts one away.
///
/// # Errors
///
/// If it is not there.
pub async fn put_away(db: &Db, user: UserId, id: Id<Notice>) -> Result<()> {
    let sql = "DELETE FROM notices WHERE person = ?1 AND id = ?2";
    match db.write(move |tx| tx.run(sql, (user.to_string(), id.to_string()))).await? {
        0 => Err(Error::not_found(format!("There is no notice '{id}'."))),
        _ => Ok(()),
    }
}

fn read(row: &Row<'_>) -> Result<Notice> {
    let job = match row.get::<Option<String>>("job")? {
        Some(id) => Some(JobName { id: id.parse()?, name: row.get::<Option<String>>("job_name")?.unwrap_or_default() }),
        None => None,
    };
    Ok(Notice {
        id: row.parsed("id")?,
        text: row.get("text")?,
        job,
        warns: row.get("warns")?,
        times: u32::try_from(row.get::<i64>("times")?).map_err(Error::internal)?,
        sent_at: row.time("sent_at")?,
        origin: origin::read(row)?,
    })
}
