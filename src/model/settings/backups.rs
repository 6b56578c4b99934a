//! Settings of backups: when they are made, where they go, who can open them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    backup::SealedTo,
    error::{Error, Result},
};

/// Backups that are made by themselves, and how backups are sealed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = BackupSettings)]
pub struct Backups {
    /// The schedule by which one is made by itself.
    pub schedule: BackupSchedule,
    /// At what time of the server's day, `HH:MM`.
    #[schema(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$")]
    pub at: String,
    /// On which day of the week, where it is weekly.
    pub weekday: BackupWeekday,
    /// Number of those that are kept; the oldest go first. One that somebody asked for stays until somebody removes it.
    pub keep: u32,
    /// After how many days one of those goes, however many there are; 0 for never. The last one stays.
    pub keep_days: u32,
    /// `true` if each of those is verified once it is made: restored beside, compared, asked questions, thrown away.
    /// Older ones stay where it cannot be relied on.
    pub verify: bool,
    /// The folder they go to, absolute; `null` means `backups` in the data directory, on the same disk as what they are
    /// of.
    pub folder: Option<String>,
    /// The key that opens backups made here.
    #[schemars(with = "String")]
    pub sealed_to: SealedTo,
    /// The age recipient, `age1…`, where they are sealed to one.
    pub recipient: Option<String>,
    /// `true` if the vault's key goes in: then who opens a backup reads every secret.
    pub with_key: bool,
}

impl Default for Backups {
    fn default() -> Self {
        Self {
            schedule: BackupSchedule::Off,
            at: "02:00".to_owned(),
            weekday: BackupWeekday::Sunday,
            keep: 14,
            keep_days: 0,
            verify: true,
            folder: None,
            sealed_to: SealedTo::OwnKey,
            recipient: None,
            with_key: false,
        }
    }
}

impl Backups {
    /// The time of day as hour and minute.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn time_of_day(&self) -> Result<(u32, u32)> {
        let two_digits = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        let parsed = self.at.split_once(':').filter(|(h, m)| two_digits(h) && two_digits(m));
        let parsed = parsed.and_then(|(h, m)| Some((h.parse::<u32>().ok()?, m.parse::<u32>().ok()?)));
        parsed.filter(|(hour, minute)| *hour < 24 && *minute < 60).ok_or_else(|| {
            Error::invalid("`backups.at` must be a time of day as HH:MM, from 00:00 to 23:59.")
                .with_details(serde_json::json!({"field": "backups.at"}))
        })
    }
}

/// The schedule by which a backup is made by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackupSchedule {
    /// Never.
    Off,
    /// Every day.
    Daily,
    /// Every week.
    Weekly,
}

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of days")]
pub enum BackupWeekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}
